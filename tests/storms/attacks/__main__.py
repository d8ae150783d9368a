"""Run all attacks at once from one address while players spin from others.

    python -m tests.storms.attacks
    python -m tests.storms.attacks --seconds 60 --postgresql

The attacks (tests/storms/attacks/attackers.py) run against a production server. Meanwhile 20 players on the
real JavaScript client spin from other addresses, half of them by polling. Prints the server's open sockets,
files and memory before, after two minutes, and after the attacks. Exits with 1 unless every spin was answered
within a second, all counts are back at their first values, and memory is within 10 % of its value after two
minutes.
"""

import click

from tests.harness.command_line import bench_command, end_with, print_counts
from tests.storms.attacks.siege import run_siege

BETS = 400_000
"""In the database; a tenth of them are the attacker's."""


@bench_command(__doc__)
@click.option("--seconds", default=600.0)
@click.option("--postgresql", is_flag=True, help="on a temporary PostgreSQL")
@click.option("--only", default="", help="attacks whose names contain this, such as chunks")
def main(*, seconds: float, postgresql: bool, only: str) -> None:
    siege = run_siege(postgresql=postgresql, seconds=seconds, bets=BETS, only=only)
    for moment, counts in siege.counts.items():
        print_counts(moment, counts)
    print_counts("attacks", siege.attacks)
    click.echo(f"spins: {siege.players['spins']:,}, the slowest {siege.players['slowestMs']:.0f} ms")
    end_with(siege.problems)


if __name__ == "__main__":
    main()
