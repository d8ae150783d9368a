"""Are items won as often as their widths say? Chi-square over a million openings of ten random cases.

    python -m bench.opening_statistics
    python -m bench.opening_statistics --openings 10000000 --master-seed "the one that was printed"

Prints a table. Exits with 1 when the p-value of a case is below 0.001, which happens in one of a hundred runs
of fair openings. Repeat such a run with a new master seed: an unfair ticket is rejected again.
"""

import argparse
import secrets
import sys

from bench.harness.opening_randomness import CASES, REJECTED_BELOW, p_values


def main() -> None:
    """Open, test, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.opening_statistics", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--openings", type=int, default=1_000_000, help="how many in all (%(default)s)")
    parser.add_argument(
        "--master-seed", default=secrets.token_hex(16), help="any text; repeats a run (a new one each time)"
    )
    options = parser.parse_args()
    if options.openings < 1_000 * CASES:
        parser.error(f"--openings must be at least {1_000 * CASES}: fewer say nothing")
    print(f"master seed  {options.master_seed}\n{'items':>6}{'p-value':>10}  verdict", flush=True)
    rejected = 0
    for items, p_value in p_values(options.openings, master_seed=options.master_seed):
        rejected += p_value < REJECTED_BELOW
        verdict = "rejected" if p_value < REJECTED_BELOW else "passed"
        print(f"{items:>6}{p_value:>10.4f}  {verdict}", flush=True)
    sys.exit(min(rejected, 1))


if __name__ == "__main__":
    main()
