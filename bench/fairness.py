"""Are the rolls and tickets random, and does the upgrader return 95 % of what is wagered?

    python -m bench.fairness
    python -m bench.fairness --rolls 1000000 --master-seed "the one that was printed"

Four statistical tests over ten million rolls, the return of a million spins at wagers and prices of every
order of magnitude that a market has, and chi-square over a million openings of ten random cases. All is
computed as in the game: a server seed for each bet, one client seed, and consecutive nonces. The server seeds
come from the master seed, which repeats a run.

Prints a line for each test. Exits with 1 when one rejects: a test of rolls or the return at 99 %, a case at
99.9 %. Each does so in one of a hundred, or a thousand, runs of fair bets. Repeat such a run with a new
master seed: a broken generator is rejected again.
"""

import secrets
import sys
from collections import deque
from collections.abc import Iterator
from functools import partial

import click

from bench.harness import opening_randomness
from bench.harness.command_line import bench_command
from bench.harness.randomness import (
    CONFIDENCE,
    HOUSE_EDGE_PPM,
    REJECTED_BELOW,
    STATISTICS,
    overlaps,
    play_spins,
    rolls_of_one_player,
)

LONGER_WORDS_FROM_ROLLS = 1_000_000
"""With this many rolls, each of the 100,000 words of five symbols occurs often enough to be counted."""

PROMISED = 1 - HOUSE_EDGE_PPM / 1_000_000


@bench_command(__doc__)
@click.option("--rolls", type=click.IntRange(min=10_000), default=10_000_000, help="how many")
@click.option("--spins", type=click.IntRange(min=1), default=1_000_000, help="how many")
@click.option("--openings", type=click.IntRange(min=10_000), default=1_000_000, help="how many in all")
@click.option(
    "--master-seed", default=lambda: secrets.token_hex(16), help="any text, by default a new one each time"
)
def main(*, rolls: int, spins: int, openings: int, master_seed: str) -> None:
    print(f"master seed  {master_seed}\n{'test':<24}{'':>22}  verdict", flush=True)
    rejected = 0
    for tests in (_rolls(rolls, master_seed), _return(spins, master_seed), _openings(openings, master_seed)):
        for name, figure, is_rejected in tests:
            rejected += is_rejected
            print(f"{name:<24}{figure:>22}  {'rejected' if is_rejected else 'passed'}", flush=True)
    sys.exit(rejected > 0)


def _rolls(count: int, seed: str) -> Iterator[tuple[str, str, bool]]:
    rolls = rolls_of_one_player(count, seed=seed)
    longer = {"overlaps": partial(overlaps, length=5)} if count >= LONGER_WORDS_FROM_ROLLS else {}
    for name, statistic in (STATISTICS | longer).items():
        p_value = statistic(rolls)
        yield name, f"p = {p_value:.4f}", p_value < REJECTED_BELOW


def _return(count: int, seed: str) -> Iterator[tuple[str, str, bool]]:
    """Chances are rounded down to a ten-millionth, which is too little to be visible here."""
    (result,) = deque(play_spins(count, seed=seed), maxlen=1)
    low, high = result.bound
    yield f"return, {CONFIDENCE:.0%} bound", f"{low:.5f} to {high:.5f}", not result.allows(PROMISED)


def _openings(count: int, seed: str) -> Iterator[tuple[str, str, bool]]:
    for items, p_value in opening_randomness.p_values(count, master_seed=seed):
        yield f"a case of {items} items", f"p = {p_value:.4f}", p_value < opening_randomness.REJECTED_BELOW


if __name__ == "__main__":
    main()
