"""Does a reader ever see a wrong sum while many writers move money?

    python -m bench.money_history
    python -m bench.money_history --seconds 20 --postgresql

Sixteen writers spin, open cases, sell and ship prizes, claim earnings, lock, unlock, deposit, withdraw and
use codes. Four readers read all balances and the house's entries in one snapshot, again and again. Every read
must sum to zero.

Prints reads, writes and violations. Exits with 1 when there is a violation or when a writer or reader failed.
"""

import sys

import click

from bench.harness.command_line import bench_command
from bench.harness.databases import bench_env
from bench.harness.local_app import local_app
from bench.harness.money.concurrent_play import Observed, observe

WRITERS, READERS = 16, 4


@bench_command(__doc__)
@click.option("--seconds", default=60, help="how long")
@click.option("--postgresql", is_flag=True, help="on a temporary PostgreSQL")
def main(*, seconds: int, postgresql: bool) -> None:
    with bench_env(postgresql=postgresql) as env, local_app(env) as app:
        observed = observe(app, writers=WRITERS, readers=READERS, seconds=seconds)
    _print(observed)
    sys.exit(bool(observed.violations or observed.failures))


def _print(observed: Observed) -> None:
    writes = ", ".join(f"{what} {count:,}" for what, count in observed.writes.most_common())
    print(f"writes {observed.writes.total():,} ({writes}), refused {observed.refused:,}")
    print(f"reads {observed.reads:,} of {len(observed.states):,} different states")
    print(f"violations {len(observed.violations)}, failures {len(observed.failures)}")
    for line in observed.violations + observed.failures:
        print(line)


if __name__ == "__main__":
    main()
