"""Are the rolls random? Four statistical tests over ten million rolls.

    python -m bench.fairness_statistics
    python -m bench.fairness_statistics --rolls 1000000 --master-seed "the one that was printed"

The rolls are computed as in the game: a server seed for each, one client seed, and consecutive nonces. The
server seeds come from the master seed, which repeats a run.

Prints a table. Exits with 1 when a test rejects at 99 %, which happens in one of a hundred runs of fair
rolls. Repeat such a run with a new master seed: a broken generator is rejected again.
"""

import secrets
import sys
import time
from functools import partial

import click

from bench.harness.command_line import bench_command
from bench.harness.randomness import (
    CONFIDENCE,
    REJECTED_BELOW,
    STATISTICS,
    Statistic,
    overlaps,
    rolls_of_one_player,
)

LONGER_WORDS_FROM_ROLLS = 1_000_000
"""With this many rolls, each of the 100,000 words of five symbols occurs often enough to be counted."""


@bench_command(__doc__)
@click.option("--rolls", "count", type=click.IntRange(min=10_000), default=10_000_000, help="how many")
@click.option(
    "--master-seed", default=lambda: secrets.token_hex(16), help="any text, by default a new one each time"
)
def main(count: int, master_seed: str) -> None:
    print(f"master seed  {master_seed}", flush=True)
    started = time.monotonic()
    rolls = rolls_of_one_player(count, seed=master_seed)
    print(f"rolls        {len(rolls):,} in {time.monotonic() - started:.1f} s\n")
    p_values = {name: statistic(rolls) for name, statistic in _statistics(len(rolls)).items()}
    print(f"{'statistic':<20}{'p-value':>10}  verdict at {CONFIDENCE:.0%}")
    for name, p_value in p_values.items():
        print(f"{name:<20}{p_value:>10.4f}  {'rejected' if p_value < REJECTED_BELOW else 'passed'}")
    sys.exit(any(p_value < REJECTED_BELOW for p_value in p_values.values()))


def _statistics(count: int) -> dict[str, Statistic]:
    if count < LONGER_WORDS_FROM_ROLLS:
        return STATISTICS
    return STATISTICS | {"overlaps": partial(overlaps, length=5)}


if __name__ == "__main__":
    main()
