"""Does a reader ever see a wrong sum while many writers move money?

    python -m bench.money_history
    python -m bench.money_history --seconds 20 --postgresql

Sixteen writers spin, open cases, sell and ship prizes, claim earnings, lock, unlock, deposit, withdraw and
use codes. Four readers read all balances and the house's entries in one snapshot, again and again. Every read
must sum to zero.

Prints reads, writes and violations. Exits with 1 when there is a violation or when a writer or reader failed.
"""

import argparse
import sys

from bench.harness.command_line import option_parser
from bench.harness.databases import bench_env
from bench.harness.local_app import local_app
from bench.harness.money.concurrent_play import Observed, observe

WRITERS, READERS = 16, 4


def main() -> None:
    options = _options()
    with bench_env(postgresql=options.postgresql) as env, local_app(env) as app:
        observed = observe(app, writers=WRITERS, readers=READERS, seconds=options.seconds)
    _print(observed)
    sys.exit(bool(observed.violations or observed.failures))


def _print(observed: Observed) -> None:
    writes = ", ".join(f"{what} {count:,}" for what, count in observed.writes.most_common())
    print(f"writes {observed.writes.total():,} ({writes}), refused {observed.refused:,}")
    print(f"reads {observed.reads:,} of {len(observed.states):,} different states")
    print(f"violations {len(observed.violations)}, failures {len(observed.failures)}")
    for line in observed.violations + observed.failures:
        print(line)


def _options() -> argparse.Namespace:
    parser = option_parser("money_history", __doc__)
    parser.add_argument("--seconds", type=int, default=60, help="how long (%(default)s)")
    parser.add_argument("--postgresql", action="store_true", help="on a temporary PostgreSQL")
    return parser.parse_args()


if __name__ == "__main__":
    main()
