"""Does the upgrader return 95 % of what is wagered? A million simulated spins.

    python -m bench.return_to_player
    python -m bench.return_to_player --spins 5000000 --master-seed "the one that was printed"

Plays with the functions of the game, over wagers and prices of every order of magnitude that a market has.
The master seed repeats a run.

Prints the payout for each coin wagered, its standard error and its 99 % confidence bound. Exits with 1 when
0.95 is outside, which happens in one of a hundred runs of a fair game. Chances are rounded down to a
ten-millionth, which is too little to be visible here.
"""

import argparse
import secrets
import sys
import time
from collections import deque

from bench.harness.command_line import option_parser
from bench.harness.randomness import CONFIDENCE, HOUSE_EDGE_PPM, play_spins

PROMISED = 1 - HOUSE_EDGE_PPM / 1_000_000


def main() -> None:
    """Play, print, test."""
    options = _options()
    print(f"master seed          {options.master_seed}", flush=True)
    started = time.monotonic()
    (result,) = deque(play_spins(options.spins, seed=options.master_seed), maxlen=1)
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


def _options() -> argparse.Namespace:
    parser = option_parser("return_to_player", __doc__)
    parser.add_argument("--spins", type=int, default=1_000_000, help="how many (%(default)s)")
    parser.add_argument(
        "--master-seed", default=secrets.token_hex(16), help="any text; repeats a run (a new one each time)"
    )
    options = parser.parse_args()
    if options.spins < 1:
        parser.error("--spins must be at least 1")
    return options


if __name__ == "__main__":
    main()
