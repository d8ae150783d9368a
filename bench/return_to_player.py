"""Does the upgrader return 95 % of what is wagered? A million simulated spins.

    python -m bench.return_to_player
    python -m bench.return_to_player --spins 5000000 --master-seed "the one that was printed"

Plays with the functions of the game, over wagers and prices of every order of magnitude that a market has.
The master seed repeats a run.

Prints the payout for each coin wagered, its standard error and its 99 % confidence bound. Exits with 1 when
0.95 is outside, which happens in one of a hundred runs of a fair game. Chances are rounded down to a
ten-millionth, which is too little to be visible here.
"""

import secrets
import sys
import time
from collections import deque

import click

from bench.harness.command_line import bench_command
from bench.harness.randomness import CONFIDENCE, HOUSE_EDGE_PPM, play_spins

PROMISED = 1 - HOUSE_EDGE_PPM / 1_000_000


@bench_command(__doc__)
@click.option("--spins", type=click.IntRange(min=1), default=1_000_000, help="how many")
@click.option(
    "--master-seed", default=lambda: secrets.token_hex(16), help="any text, by default a new one each time"
)
def main(spins: int, master_seed: str) -> None:
    print(f"master seed          {master_seed}", flush=True)
    started = time.monotonic()
    (result,) = deque(play_spins(spins, seed=master_seed), maxlen=1)
    low, high = result.bound
    within = result.allows(PROMISED)
    print(f"spins                {result.spins:,} in {time.monotonic() - started:.1f} s")
    print(f"wagered              {result.wagered / 100:,.2f}")
    print(f"returned             {result.returned / 100:,.2f}")
    print(f"returned / wagered   {result.ratio:.5f}")
    print(f"standard error       {result.standard_error:.5f}")
    print(f"{CONFIDENCE:.0%} bound            {low:.5f} to {high:.5f}")
    print(f"{PROMISED:.2f} lies within     {'yes' if within else 'no'}")
    sys.exit(not within)


if __name__ == "__main__":
    main()
