"""Statistical tests of the rolls. Every seed is fixed, so a failure is never bad luck.

``--effort 100 --seed TEXT`` tests ten million rolls and as many spins of that seed. One in a hundred such
tests of fair rolls fails; a broken generator fails again with another seed.
"""

import numpy as np
import pytest

from services.bets.rolls import ROLL_RANGE, roll
from tests.support.randomness import (
    REJECTED_BELOW,
    STATISTICS,
    Wager,
    play_spins,
    rolls_of_one_player,
)

ROLLS = 100_000
SPINS = 100_000


@pytest.fixture(scope="module")
def rolls(effort, seed):
    return rolls_of_one_player(ROLLS * effort, seed=f"{seed}statistics")


def fair(generator, count=ROLLS):
    return generator.integers(ROLL_RANGE, size=count)


def modulo_biased(generator):
    """26 random bits modulo the range: its lower part comes up a sixth more often."""
    return generator.integers(2**26, size=ROLLS) % ROLL_RANGE


def drawn_to_the_previous_one(generator):
    """Every roll is moved a fiftieth of the way to the one before."""
    values = fair(generator)
    return (49 * values + np.roll(values, 1)) // 50


def keeping_their_half(generator):
    """One roll in fifty is on the same side of the middle as the one before."""
    values = fair(generator)
    half = ROLL_RANGE // 2
    kept = values % half + half * (np.roll(values, 1) >= half)
    return np.where(generator.random(ROLLS) < 0.02, kept, values)


def made_of_the_two_before(generator):
    """The first digit of every third roll follows from the two before, which no pair of rolls gives away."""
    values = fair(generator)
    tenth = ROLL_RANGE // 10
    first, second, third = (values[start : ROLLS - 2 + start : 3] for start in range(3))
    third[:] = (first // tenth + second // tenth) % 10 * tenth + third % tenth
    return values


BROKEN = {
    "chi-square": modulo_biased,
    "serial correlation": drawn_to_the_previous_one,
    "runs": keeping_their_half,
    "overlaps": made_of_the_two_before,
}


@pytest.mark.guarantee("Rolls")
@pytest.mark.regulation("3.2 Randomness")
@pytest.mark.regulation("(a) Properties")
@pytest.mark.regulation("(b) Statistical randomness")
@pytest.mark.parametrize("name", STATISTICS)
def test_the_statistic_does_not_reject_the_rolls(name, rolls, note_figure):
    p_value = STATISTICS[name](rolls)

    note_figure(f"{name} of {len(rolls):,} rolls: p = {p_value:.4f}")
    assert p_value >= REJECTED_BELOW


@pytest.mark.regulation("3.2 Randomness")
@pytest.mark.parametrize("name", STATISTICS)
def test_the_statistic_rejects_a_generator_broken_in_its_way(name):
    broken = BROKEN[name](np.random.default_rng(1))

    assert broken.min() >= 0
    assert broken.max() < ROLL_RANGE
    assert STATISTICS[name](broken) < REJECTED_BELOW


def last(sums):
    """The sums after the last spin."""
    *_, result = sums
    return result


@pytest.mark.guarantee("Rolls")
@pytest.mark.regulation("4.7 Payout percentage and odds")
def test_the_return_to_player_is_95_percent_within_its_bound(effort, seed, note_figure):
    result = last(play_spins(SPINS * effort, seed=f"{seed}return"))

    low, high = result.bound
    note_figure(f"return of {result.spins:,} spins: {low:.5f} to {high:.5f}")
    assert result.spins == SPINS * effort
    assert result.standard_error < 0.02
    assert result.allows(0.95)


def test_the_return_to_player_shows_too_low_rolls():
    def low(**spin):
        return roll(**spin) * 19 // 20

    result = last(play_spins(SPINS, seed="return", wager=lambda _random: Wager(500, 1000), roll=low))

    assert not result.allows(0.95)
