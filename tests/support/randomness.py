"""Statistical tests of rolls, for the tests and the benchmarks.

A test takes rolls (integers from 0 to ROLL_RANGE - 1, in order) and returns a p-value: the probability that
fair rolls deviate at least as much. Below REJECTED_BELOW rolls are rejected, which also happens to one in a
hundred sequences of fair rolls.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log, sqrt
from random import Random

import numpy as np
import numpy.typing as npt
import scipy

from services.bets import rolls
from services.bets.rolls import ROLL_RANGE

CONFIDENCE = 0.99
REJECTED_BELOW = 1 - CONFIDENCE

CLIENT_SEED = "a-player-who-looks"
HOUSE_EDGE_PPM = 50_000

CHEAPEST_CENTS, DEAREST_CENTS = 3, 204_379
"""The prices of a real market, lowest and highest."""

LEAST_MULTIPLIER, GREATEST_MULTIPLIER = 1.05, 100.0

Rolls = npt.NDArray[np.int64]
Statistic = Callable[[Rolls], float]


def rolls_of_one_player(count: int, *, seed: str) -> Rolls:
    """The rolls of consecutive spins, each with a new server seed and the next nonce.

    The same ``seed`` gives the same rolls.
    """
    random_bytes = Random(seed).randbytes
    return np.fromiter(
        (
            rolls.roll(server_seed=rolls.draw_server_seed(random_bytes), client_seed=CLIENT_SEED, nonce=nonce)
            for nonce in range(1, count + 1)
        ),
        dtype=np.int64,
        count=count,
    )


def chi_square(rolls: Rolls, *, cells: int = 1_000) -> float:
    """Test whether each of ``cells`` equal parts of the range is equally frequent. Source: Pearson (1900)."""
    counts = np.bincount(rolls * cells // ROLL_RANGE, minlength=cells)
    return float(scipy.stats.chisquare(counts).pvalue)


def serial_correlation(rolls: Rolls) -> float:
    """Test whether a roll is correlated with the next one; the last is followed by the first.

    Source: Knuth, The Art of Computer Programming, volume 2, 3.3.2 K; two-sided.
    """
    n = len(rolls)
    centred = rolls - rolls.mean()
    coefficient = np.dot(centred, np.roll(centred, -1)) / np.dot(centred, centred)
    mean, variance = -1 / (n - 1), n * n / ((n - 1) ** 2 * (n - 2))
    return _two_sided((coefficient - mean) / sqrt(variance))


def runs(rolls: Rolls) -> float:
    """Test whether the upper and the lower half of the range alternate as often as expected.

    Source: Wald and Wolfowitz, On a test whether two samples are from the same population (1940); two-sided.
    """
    upper = rolls >= ROLL_RANGE // 2
    n, n_upper = len(rolls), int(upper.sum())
    observed = 1 + int(np.count_nonzero(upper[1:] != upper[:-1]))
    pairs = 2 * n_upper * (n - n_upper)
    mean, variance = pairs / n + 1, pairs * (pairs - n) / (n * n * (n - 1))
    return _two_sided((observed - mean) / sqrt(variance))


def overlaps(rolls: Rolls, *, symbols: int = 10, length: int = 3) -> float:
    """Test whether all words of ``length`` symbols are equally frequent. Words overlap, in a circle.

    A symbol is the part of the range that contains a roll. Overlapping words are not independent, so the
    difference to the statistic of words one symbol shorter has the chi-square distribution.
    Source: Good, The serial test for sampling numbers and other tests for randomness (1953).
    """
    excess = _word_excess(rolls, symbols, length) - _word_excess(rolls, symbols, length - 1)
    return float(scipy.stats.chi2.sf(excess, symbols**length - symbols ** (length - 1)))


STATISTICS: dict[str, Statistic] = {
    "chi-square": chi_square,
    "serial correlation": serial_correlation,
    "runs": runs,
    "overlaps": overlaps,
}


def _word_excess(rolls: Rolls, symbols: int, length: int) -> float:
    letters = rolls * symbols // ROLL_RANGE
    words = np.zeros_like(letters)
    for place in range(length):
        words = words * symbols + np.roll(letters, -place)
    counts = np.bincount(words, minlength=symbols**length)
    expected = len(rolls) / symbols**length
    return float(np.sum((counts - expected) ** 2) / expected)


def _two_sided(deviations: float) -> float:
    return float(2 * scipy.stats.norm.sf(abs(deviations)))


@dataclass(frozen=True)
class Wager:
    """The wager of a simulated player on an item, in cents."""

    wager_cents: int
    price_cents: int


def draw_wager(random: Random) -> Wager:
    """A wager on an item at a price of the market, each order of magnitude as likely as any other."""
    price_cents = round(_between(random, CHEAPEST_CENTS, DEAREST_CENTS))
    # The price is 1.05 to 100 times the wager, as nearly as whole cents allow.
    wager = round(price_cents / _between(random, LEAST_MULTIPLIER, GREATEST_MULTIPLIER))
    return Wager(min(max(wager, 1), price_cents - 1), price_cents)


def _between(random: Random, low: float, high: float) -> float:
    return exp(random.uniform(log(low), log(high)))


@dataclass
class ReturnToPlayer:
    """Sums over spins. Money is in cents; ``variance`` is that of the payouts, in square cents."""

    spins: int = 0
    wagered: int = 0
    returned: int = 0
    variance: float = 0.0

    def add(self, wager: Wager, *, threshold: int, roll: int) -> None:
        """Count one spin. Its variance is exact, because it pays the price or nothing."""
        chance = threshold / ROLL_RANGE
        self.spins += 1
        self.wagered += wager.wager_cents
        self.returned += wager.price_cents if roll < threshold else 0
        self.variance += wager.price_cents**2 * chance * (1 - chance)

    @property
    def ratio(self) -> float:
        """The payout for each coin wagered."""
        return self.returned / self.wagered

    @property
    def standard_error(self) -> float:
        """The standard error of the ratio for fair rolls."""
        return sqrt(self.variance) / self.wagered

    @property
    def bound(self) -> tuple[float, float]:
        """The confidence interval of the true ratio, by the normal approximation."""
        reach = float(scipy.stats.norm.ppf((1 + CONFIDENCE) / 2)) * self.standard_error
        return self.ratio - reach, self.ratio + reach

    def allows(self, ratio: float) -> bool:
        """Whether this ratio is within the interval."""
        low, high = self.bound
        return low <= ratio <= high


def play_spins(
    count: int,
    *,
    seed: str,
    wager: Callable[[Random], Wager] = draw_wager,
    roll: Callable[..., int] = rolls.roll,
) -> Iterator[ReturnToPlayer]:
    """Play spins one after the other. Yields the sums after each, always the same object.

    The same ``seed`` plays the same spins.
    """
    random = Random(seed)
    sums = ReturnToPlayer()
    for nonce in range(1, count + 1):
        drawn = wager(random)
        threshold = rolls.threshold(
            wager_cents=drawn.wager_cents, price_cents=drawn.price_cents, house_edge_ppm=HOUSE_EDGE_PPM
        )
        server_seed = rolls.draw_server_seed(random.randbytes)
        rolled = roll(server_seed=server_seed, client_seed=CLIENT_SEED, nonce=nonce)
        sums.add(drawn, threshold=threshold, roll=rolled)
        yield sums
