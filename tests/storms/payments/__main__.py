"""Is money lost, credited twice or paid twice when the payment provider and the platform fail?

    python -m tests.storms.payments
    python -m tests.storms.payments --faults 20 --databases postgresql
    python -m tests.storms.payments --seed "the one that was printed"

Players deposit and withdraw through a fake BTCPay Server, which answers late, twice, in the wrong order,
with errors after it has done the work, or never, and whose webhooks are lost, repeated or false. Meanwhile
the platform's processes are killed and paused in the middle of their requests, and PostgreSQL is stopped
without a shutdown: one process on SQLite, three on PostgreSQL. Afterwards every deposit and withdrawal is
compared with the fake's own ledger. The seed repeats what everybody does and the order of the faults.

Prints how often each fault has happened, and a line for each broken guarantee. Exits with 1 when there is
one.
"""

from contextlib import ExitStack

import click

from tests.harness.cluster import PROCESSES
from tests.harness.command_line import bench_command, end_with, print_counts, seed_option
from tests.harness.databases import bench_env, durable_postgres
from tests.harness.redis import redis_server
from tests.storms.payments.storm import Report, payment_storm

PLAYERS = 6
DATABASES = "sqlite,postgresql"


@bench_command(__doc__)
@click.option("--faults", default=100, help="of each database's storm, besides many small ones")
@click.option("--databases", default=DATABASES, help="sqlite, postgresql, or both")
@seed_option
def main(*, faults: int, databases: str, seed: str) -> None:
    click.echo(f"seed {seed}")
    problems = []
    for database in databases.split(","):
        if database not in DATABASES.split(","):
            raise click.UsageError(f"--databases: {database} is neither sqlite nor postgresql")
        report = _endure(faults, seed, postgresql=database == "postgresql")
        click.echo(
            f"{database}: {faults} faults and {sum(report.faults.values()) - faults:,} small ones in"
            f" {report.seconds:.0f} s, at rest after {report.rest_seconds:.0f} s"
        )
        print_counts("faults", report.faults)
        print_counts("what people did", report.counts)
        problems += [f"{database}: {line}" for line in report.problems]
    end_with(problems)


def _endure(faults: int, seed: str, *, postgresql: bool) -> Report:
    with bench_env(postgresql=False) as env, ExitStack() as stack:
        database = None
        if postgresql:
            database = stack.enter_context(durable_postgres())
            redis = stack.enter_context(redis_server())
            url = stack.enter_context(database.fresh())
            env |= {"DATABASE_URL": url, "REDIS_URL": redis.url, "PROCESSES": str(PROCESSES)}
        storm = stack.enter_context(payment_storm(env, seed=seed, players=PLAYERS, database=database))
        return storm.endure(faults)


if __name__ == "__main__":
    main()
