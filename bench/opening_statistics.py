"""Are items won as often as their widths say? Chi-square over a million openings of ten random cases.

    python -m bench.opening_statistics
    python -m bench.opening_statistics --openings 10000000 --master-seed "any other text"

Prints a table, always the same for one master seed. Exits with 1 when the p-value of a case is below 0.001,
which one of a hundred master seeds gives for fair openings. An unfair ticket is rejected with any other, too.
"""

import sys

import click

from bench.harness.command_line import bench_command
from bench.harness.opening_randomness import CASES, REJECTED_BELOW, p_values


@bench_command(__doc__)
@click.option("--openings", type=click.IntRange(min=1_000 * CASES), default=1_000_000, help="how many in all")
@click.option("--master-seed", default="openings", help="any text")
def main(openings: int, master_seed: str) -> None:
    print(f"master seed  {master_seed}\n{'items':>6}{'p-value':>10}  verdict", flush=True)
    rejected = 0
    for items, p_value in p_values(openings, master_seed=master_seed):
        rejected += p_value < REJECTED_BELOW
        verdict = "rejected" if p_value < REJECTED_BELOW else "passed"
        print(f"{items:>6}{p_value:>10.4f}  {verdict}", flush=True)
    sys.exit(min(rejected, 1))


if __name__ == "__main__":
    main()
