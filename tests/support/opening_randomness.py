"""Simulated openings of random cases, and the test whether their items are won as often as they should be."""

from collections.abc import Iterator
from itertools import accumulate
from math import exp
from random import Random

import numpy as np
import numpy.typing as npt
import scipy

from models.cases import CASE, IRL
from services.bets import rolls
from services.bets.rolls import TICKET_RANGE
from services.bets.snapshots import Content, content_of
from services.shared.money import Cents
from tests.support.randomness import CLIENT_SEED

CASES = 10
MOST_ITEMS = 500
REJECTED_BELOW = 0.001
"""The p-value."""

LEAST_EXPECTED = 5
"""Items that are expected less often are counted together, because chi-square is wrong for them."""

Counts = npt.NDArray[np.int64]


def random_widths(random: Random) -> list[int]:
    """The widths of 2 to 500 items, rarest first. The rarest is up to 200,000 times rarer than others."""
    weights = [exp(random.uniform(0, 12)) for _ in range(random.randint(2, MOST_ITEMS))]
    ends = [round(end / sum(weights) * TICKET_RANGE) for end in accumulate(weights)]
    ends[-1] = TICKET_RANGE
    return sorted(end - start for start, end in zip([0, *ends], ends, strict=False))


def case_of(widths: list[int]) -> Content:
    """A case with these widths, as the game opens it."""
    items = [("item", Cents(100), width) for width in widths]
    return content_of(case_id="case", price_cents=Cents(100), items=items)


def wins_of_one_case(count: int, *, seed: str, game: str) -> tuple[list[int], Counts]:
    """The widths of a random case, and how often each item was won. The same ``seed`` gives the same.

    Each opening has a new server seed and the next nonce, as in the game.
    """
    random = Random(seed)
    widths = random_widths(random)
    case = case_of(widths)
    won = np.fromiter(
        (
            case.winning_place(
                rolls.ticket(
                    game=game,
                    server_seed=rolls.draw_server_seed(random.randbytes),
                    client_seed=CLIENT_SEED,
                    nonce=nonce,
                )
            )
            for nonce in range(1, count + 1)
        ),
        dtype=np.int64,
        count=count,
    )
    return widths, np.bincount(won, minlength=len(widths))


def chi_square(widths: list[int], counts: Counts) -> float:
    """The probability that fair openings deviate at least as much. Source: Pearson (1900)."""
    expected = np.array([width * int(counts.sum()) / TICKET_RANGE for width in widths])
    rare = expected < LEAST_EXPECTED
    # Items are in order of their widths, so the next one is the rarest of the others.
    while rare.any() and not rare.all() and expected[rare].sum() < LEAST_EXPECTED:
        rare[np.argmin(rare)] = True
    observed, wanted = counts[~rare], expected[~rare]
    if rare.any():
        observed, wanted = np.append(observed, counts[rare].sum()), np.append(wanted, expected[rare].sum())
    return float(scipy.stats.chisquare(observed, wanted).pvalue)


def p_values(openings: int, *, master_seed: str) -> Iterator[tuple[int, float]]:
    """Open each of ten random cases equally often. Yields each one's number of items and p-value."""
    for number in range(CASES):
        game = (CASE, IRL)[number % 2]
        widths, counts = wins_of_one_case(openings // CASES, seed=f"{master_seed}:{number}", game=game)
        yield len(widths), chi_square(widths, counts)
