"""Is anything lost when the server or its database is killed during play?

    python -m tests.storms.crashes --kills 200
    python -m tests.storms.crashes --kills 100 --postgresql --database-kills 20
    python -m tests.storms.crashes --kills 20 --seed "the one that was printed"

Many players spin, open cases, have battles, sell prizes, set limits, take breaks, and use the vault, promo
codes, claims and deposits while the server's processes are killed with SIGKILL and started again, and
PostgreSQL is stopped without a shutdown while the server keeps running. A drand network of this command
decides the battles: its relays are late, away, ahead, or lie. Three witnesses follow the log, of which one is
away now and then. Afterwards each answer that a player got is
compared with the database, and each battle with the log and with what a second program computes. The seed
repeats the players' requests and the numbers of answers after which something is killed.

Prints counts, and a line for each broken guarantee. Exits with 1 when there is one.
"""

from contextlib import ExitStack
from pathlib import Path
from random import Random

import click

from tests.harness.command_line import bench_command, end_with, print_counts, seed_option
from tests.harness.databases import bench_env, durable_postgres
from tests.harness.local_app import local_app
from tests.storms.crashes.network import storm_network
from tests.storms.crashes.storm import CrashStorm
from tests.storms.crashes.witnesses import storm_witnesses

PLAYERS, SOCKETS = 40, 200


@bench_command(__doc__)
@click.option("--kills", default=200, help="of the server")
@click.option("--postgresql", is_flag=True, help="on a temporary PostgreSQL")
@click.option("--database-kills", default=0, help="of PostgreSQL")
@seed_option
def main(*, kills: int, postgresql: bool, database_kills: int, seed: str) -> None:
    if database_kills and not postgresql:
        raise click.UsageError("--database-kills needs --postgresql")
    click.echo(f"seed {seed}")
    with bench_env(postgresql=False, UPGRADER_PROOF_DELAY="0.5") as env, ExitStack() as stack:
        postgres = None
        if postgresql:
            postgres = stack.enter_context(durable_postgres())
            env["DATABASE_URL"] = stack.enter_context(postgres.fresh())
        network = stack.enter_context(storm_network(seed))
        env.update(network.settings)
        witnesses = stack.enter_context(storm_witnesses(seed, Path(env["INSTANCE_DIR"])))
        env.update(witnesses.settings)
        app = stack.enter_context(local_app(env))
        storm = CrashStorm(
            app, env, players=PLAYERS, sockets=SOCKETS, seed=seed, network=network, witnesses=witnesses
        )
        draw = Random(seed)
        faults = [storm.kill_server] * kills
        faults += [lambda: postgres.restart(draw.uniform(0, 0.5))] * database_kills
        draw.shuffle(faults)
        report = storm.endure(faults)
    click.echo(f"{kills} kills of the server, {database_kills} of the database in {report.seconds:.0f} s")
    print_counts("requests", report.counts)
    end_with(report.problems)


if __name__ == "__main__":
    main()
