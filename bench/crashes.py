"""Is anything lost when the server or its database is killed during play?

    python -m bench.crashes --kills 200
    python -m bench.crashes --kills 100 --worker-kills 50 --players 40 --sockets 200
    python -m bench.crashes --kills 100 --postgresql --database-kills 20
    python -m bench.crashes --kills 20 --seed "the one that was printed"

Many players spin, open cases, sell prizes, set limits, take breaks, and use the vault, promo codes, claims
and deposits while the server's processes are killed with SIGKILL and started again, and PostgreSQL is stopped
without a shutdown while the server keeps running. Afterwards each answer that a player got is compared with
the database. The seed repeats the players' requests and the numbers of answers after which something is
killed.

Prints counts, and a line for each broken guarantee. Exits with 1 when there is one.
"""

import argparse
import secrets
import sys
from contextlib import ExitStack
from random import Random

from bench.harness.command_line import option_parser
from bench.harness.crashes.memory import Kind, Outcome
from bench.harness.crashes.storm import CrashStorm, Report
from bench.harness.databases import bench_env
from bench.harness.durable_postgres import durable_postgres
from bench.harness.local_app import local_app


def main() -> None:
    options = _options()
    print(f"seed {options.seed}", flush=True)
    with bench_env(postgresql=False, UPGRADER_PROOF_DELAY="0.5") as env, ExitStack() as stack:
        postgres = None
        if options.postgresql:
            postgres = stack.enter_context(durable_postgres())
            env["DATABASE_URL"] = stack.enter_context(postgres.fresh())
        app = stack.enter_context(local_app(env))
        storm = CrashStorm(app, env, players=options.players, sockets=options.sockets, seed=options.seed)
        kills = [storm.kill_server] * options.kills + [storm.kill_worker] * options.worker_kills
        draw = Random(options.seed)
        kills += [lambda: postgres.restart(draw.uniform(0, 0.5))] * options.database_kills
        draw.shuffle(kills)
        report = storm.endure(kills)
    _print(report, options)
    sys.exit(bool(report.problems))


def _print(report: Report, options: argparse.Namespace) -> None:
    print(
        f"{options.kills} kills of the server, {options.worker_kills} of its worker, {options.database_kills}"
        f" of the database in {report.seconds:.0f} s: {len(report.problems)} problems"
    )
    print(f"{'':<14}" + "".join(f"{outcome:>14}" for outcome in Outcome))
    for kind in Kind:
        print(f"{kind:<14}" + "".join(f"{report.counts.get((kind, outcome), 0):>14,}" for outcome in Outcome))
    print(f"asked for again: {report.asked_again:,} after a lost answer, {report.repeated:,} after an answer")
    print(
        f"bets {report.audited.get('bets', 0):,}, of whose proofs {report.proofs_delivered:,} were delivered"
    )
    for line in report.problems:
        print(line)


def _options() -> argparse.Namespace:
    parser = option_parser("crashes", __doc__)
    parser.add_argument("--kills", type=int, default=200, help="of the server (%(default)s)")
    parser.add_argument("--worker-kills", type=int, default=0, help="of its worker alone (%(default)s)")
    parser.add_argument("--postgresql", action="store_true", help="on a temporary PostgreSQL")
    parser.add_argument("--database-kills", type=int, default=0, help="of PostgreSQL (%(default)s)")
    parser.add_argument("--players", type=int, default=40, help="how many (%(default)s)")
    parser.add_argument("--sockets", type=int, default=200, help="of all players together (%(default)s)")
    parser.add_argument("--seed", default=secrets.token_hex(8), help="any text (a new one each time)")
    options = parser.parse_args()
    if options.database_kills and not options.postgresql:
        parser.error("--database-kills needs --postgresql")
    if not 1 <= options.players <= options.sockets <= 10 * options.players:
        parser.error("every player has 1 to 10 sockets")
    return options


if __name__ == "__main__":
    main()
