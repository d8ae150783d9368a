"""Run all attacks at once from one address while players spin from others.

    python -m tests.storms.attacks
    python -m tests.storms.attacks --seconds 60 --postgresql

The attacks (tests/storms/attacks/attackers.py) run against a production server. Meanwhile 20 players on the
real JavaScript client spin from other addresses, half of them by polling. Prints the server's open sockets,
files and memory before, after two minutes, and after the attacks. Exits with 1 unless every spin was answered
within a second, all counts are back at their first values, and memory is within 10 % of its value after two
minutes.
"""

import sys

import click

from tests.harness.command_line import bench_command
from tests.storms.attacks.siege import Siege, run_siege

BETS = 400_000
"""In the database; a tenth of them are the attacker's."""


@bench_command(__doc__)
@click.option("--seconds", default=600.0)
@click.option("--postgresql", is_flag=True, help="on a temporary PostgreSQL")
@click.option("--only", default="", help="attacks whose names contain this, such as chunks")
def main(*, seconds: float, postgresql: bool, only: str) -> None:
    siege = run_siege(postgresql=postgresql, seconds=seconds, bets=BETS, only=only)
    _print(siege)
    sys.exit(bool(siege.problems))


def _print(siege: Siege) -> None:
    moments = ("before", "settled", "after")
    print(f"{'':12} {'before':>12} {'minute 2':>12} {'after':>12}")
    for name in siege.counts["before"]:
        print(f"{name:12} " + " ".join(f"{siege.counts[moment][name]:12,}" for moment in moments))
    print("attacks: " + ", ".join(f"{number:,} {name}" for name, number in sorted(siege.attacks.items())))
    print(f"spins: {siege.players['spins']:,}, the slowest {siege.players['slowestMs']:.0f} ms")
    for problem in siege.problems:
        print(f"NOT KEPT: {problem}")


if __name__ == "__main__":
    main()
