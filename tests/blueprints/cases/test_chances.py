"""Percentages are read exactly or refused, and split without a remainder."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.cases.contents import (
    CERTAIN,
    share_equally,
    width_from_percent,
)
from services.shared import decimal_json
from services.shared.errors import Refusal

PLACES = st.integers(0, 16)
ATTOS = st.integers(0, CERTAIN)


@given(ATTOS, PLACES)
def test_a_percentage_with_16_decimals_is_stored_exactly(width, zeros):
    text = f"{width // 10**16}.{width % 10**16:016d}{'0' * zeros}"

    assert width_from_percent(decimal_json.loads(text)) == width


@given(st.decimals(min_value=0, max_value=100, allow_nan=False, allow_infinity=False))
def test_a_percentage_is_stored_exactly_or_refused(number):
    if (Fraction(number) * 10**16).denominator > 1:
        with pytest.raises(Refusal, match="at most 16 decimals"):
            width_from_percent(number)
    else:
        assert Fraction(width_from_percent(number), 10**16) == Fraction(number)


@given(ATTOS, st.integers(1, 500))
def test_equal_shares_differ_by_one_ticket_and_sum_to_all(left, count):
    shares = share_equally(left, count)

    assert sum(shares) == left
    assert len(shares) == count
    assert max(shares) - min(shares) <= 1
