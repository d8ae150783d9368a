"""Run all attacks at once from one address while players spin from others.

    python -m bench.attacks
    python -m bench.attacks --seconds 60 --postgresql

The attacks (bench/harness/attacks/attackers.py) run against a production server. Meanwhile 20 players on the
real JavaScript client spin from other addresses, half of them by polling. Prints the server's open sockets,
files and memory before, after two minutes, and after the attacks. Exits with 1 unless every spin was answered
within a second, all counts are back at their first values, and memory is within 10 % of its value after two
minutes.
"""

import sys

from bench.harness.attacks.siege import Siege, run_siege
from bench.harness.command_line import option_parser

BETS = 400_000


def main() -> None:
    parser = option_parser("attacks", __doc__)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--postgresql", action="store_true", help="on a temporary PostgreSQL")
    parser.add_argument("--bets", type=int, default=BETS, help="in the database; a tenth is the attacker's")
    parser.add_argument("--only", default="", help="attacks whose names contain this, such as chunks")
    options = parser.parse_args()
    siege = run_siege(
        postgresql=options.postgresql,
        seconds=options.seconds,
        bets=options.bets,
        only=options.only,
    )
    _print(siege)
    sys.exit(bool(siege.problems))


def _print(siege: Siege) -> None:
    moments = ("before", "settled", "after")
    print(f"{'':12} {'before':>12} {'minute 2':>12} {'after':>12}")
    for name in siege.counts["before"]:
        print(f"{name:12} " + " ".join(f"{siege.counts[moment][name]:12,}" for moment in moments))
    print("attacks: " + ", ".join(f"{number:,} {name}" for name, number in sorted(siege.attacks.items())))
    told = siege.players
    print(f"spins: {told['spins']:,}, the slowest {told['slowestMs']:.0f} ms")
    for problem in siege.problems:
        print(f"NOT KEPT: {problem}")


if __name__ == "__main__":
    main()
