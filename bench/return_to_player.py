"""Does the upgrader return 95 % of what is wagered? A million simulated spins.

    python -m bench.return_to_player
    python -m bench.return_to_player --spins 5000000 --master-seed "the one that was printed"
    python -m bench.return_to_player --prices market-prices.json

Plays with the functions of the game, over wagers and prices of every order of magnitude that a market has, or
over the prices of a feed ({"prices": {name: cents}}). The master seed repeats a run.

Prints the payout for each coin wagered, its standard error and its 99 % confidence bound. Exits with 1 when
0.95 is outside, which happens in one of a hundred runs of a fair game. Chances are rounded down to a
ten-millionth, which is too little to be visible here.
"""

import argparse
import json
import secrets
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from bench.harness.command_line import option_parser, progress_bar
from bench.harness.randomness import (
    CONFIDENCE,
    HOUSE_EDGE_PPM,
    ReturnToPlayer,
    Wager,
    draw_wager,
    play_spins,
    wager_on,
)

PROMISED = 1 - HOUSE_EDGE_PPM / 1_000_000
SPINS_A_STEP = 10_000


def main() -> None:
    """Play, print, test."""
    options = _options()
    print(f"master seed          {options.master_seed}", flush=True)
    wager = wagers_on_prices_of(options.prices) if options.prices else draw_wager
    started = time.monotonic()
    result = play(options.spins, master_seed=options.master_seed, wager=wager)
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


def play(count: int, *, master_seed: str, wager: Callable[[Random], Wager]) -> ReturnToPlayer:
    """All spins. Shows the progress on a terminal."""
    result = ReturnToPlayer()
    with progress_bar(count, "spins") as progress:
        for result in play_spins(count, seed=master_seed, wager=wager):
            if result.spins % SPINS_A_STEP == 0:
                progress.update(SPINS_A_STEP)
    return result


def wagers_on_prices_of(path: Path) -> Callable[[Random], Wager]:
    """Wagers on the items of a price feed that cost two cents or more, each item as likely as any other."""
    prices = [cents for cents in json.loads(path.read_text())["prices"].values() if cents >= 2]
    return partial(_wager_on_one_of, prices)


def _wager_on_one_of(prices: list[int], random: Random) -> Wager:
    return wager_on(random.choice(prices), random)


def _options() -> argparse.Namespace:
    parser = option_parser("return_to_player", __doc__)
    parser.add_argument("--spins", type=int, default=1_000_000, help="how many (%(default)s)")
    parser.add_argument(
        "--master-seed", default=secrets.token_hex(16), help="any text; repeats a run (a new one each time)"
    )
    parser.add_argument("--prices", type=Path, help="a price feed to take the prices from")
    options = parser.parse_args()
    if options.spins < 1:
        parser.error("--spins must be at least 1")
    if options.prices and not options.prices.is_file():
        parser.error(f"{options.prices} is not a file")
    return options


if __name__ == "__main__":
    main()
