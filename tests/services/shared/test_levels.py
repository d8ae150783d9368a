"""Experience and levels at their boundaries."""

from hypothesis import given
from hypothesis import strategies as st

from models.users import User
from services.shared.levels import experience_for, experience_of, level_of


def player(*, cents=0, granted=0):
    return User(granted_experience=granted, wagered_cents=cents)


def level_after(*, coins, cents=0, granted=0):
    return level_of(player(cents=coins * 100 + cents, granted=granted))


def test_a_level_begins_at_a_hundred_times_its_square_in_coins():
    levels = {0: 0, 100: 1, 400: 2, 900: 3, 62_500: 25, 1_000_000: 100}

    assert {coins: level_after(coins=coins) for coins in levels} == levels
    assert [level_after(coins=coins, cents=-1) for coins in (100, 400, 62_500)] == [0, 1, 24]


def test_only_whole_coins_in_total_are_experience():
    experience = {0: 0, 99: 0, 100: 1, 199: 1, 12_345: 123}

    assert {cents: experience_of(player(cents=cents)) for cents in experience} == experience


def test_granted_experience_counts_like_wagered():
    assert level_after(coins=50, granted=50) == 1


@given(level=st.integers(min_value=1, max_value=10**7))
def test_the_least_experience_of_a_level_has_it_and_one_less_does_not(level):
    least = experience_for(level)

    assert level_of(player(granted=least)) == level
    assert level_of(player(granted=least - 1)) == level - 1
