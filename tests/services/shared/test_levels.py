"""Experience and levels at their boundaries. Wagered coins are in tests/blueprints/auth/test_me.py."""

from hypothesis import given
from hypothesis import strategies as st

from models.users import User
from services.shared.levels import experience_for, level_of


def player(*, granted):
    return User(granted_experience=granted, wagered_cents=0)


@given(level=st.integers(min_value=1, max_value=10**7))
def test_a_levels_least_experience_has_it_and_less_does_not(level):
    least = experience_for(level)

    assert level_of(player(granted=least)) == level
    assert level_of(player(granted=least - 1)) == level - 1
