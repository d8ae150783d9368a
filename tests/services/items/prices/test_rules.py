"""Which prices are accepted, and which prices of the market can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.items.prices.market import read_price
from services.items.prices.sources import judge

MOST = 100_000_000_000
whole_prices = st.integers(min_value=1, max_value=MOST)


def verdict_on(stated, current, *, accept_jumps=False):
    return str(judge(stated, current=current, accept_jumps=accept_jumps))


@pytest.mark.parametrize(
    ("stated", "current", "verdict"),
    [
        (100, 100, "same"),
        (0, 0, "same"),
        (101, 100, "new"),
        (1000, 100, "new"),
        (1001, 100, "held back"),
        (10, 100, "new"),
        (9, 100, "held back"),
        (10, 101, "held back"),
        (11, 101, "new"),
        (0, 1, "held back"),
        (0, None, "held back"),
        (1, None, "new"),
        (MOST, None, "new"),
        (MOST + 1, None, "held back"),
        (MOST, 0, "new"),
    ],
)
def test_a_step_of_more_than_ten_times_is_held_back(stated, current, verdict):
    assert verdict_on(stated, current) == verdict
    # Accepting jumps, an operator gets every price within the bounds.
    accepted = "new" if verdict == "held back" and stated <= MOST else verdict
    assert verdict_on(stated, current, accept_jumps=True) == accepted


@given(stated=whole_prices, current=whole_prices)
def test_the_same_limit_holds_for_rising_and_falling_prices(stated, current):
    assert (verdict_on(stated, current) == "held back") == (verdict_on(current, stated) == "held back")


PRICES = {
    "$0.03": 3,
    "$999.99": 99_999,
    "$1,234.56": 123_456,
    "$1234.56": 123_456,
    "$12,345,678.90": 1_234_567_890,
}
NO_PRICES = (
    *("", "$", "12.34", "$12", "$12.3", "$12.345", "$1,23.45", "$12,34.56", "$,123.45", "$1.234,56"),
    *("12,34€", "£1.00", "$-1.00", "-$1.00", "$1.00 ", " $1.00", "$1.00\n", "$\u0661.00", "$1e3.00"),
    *("$" + "9" * 30 + ".00", None, 12.34, 1234, True, ["$1.00"]),
)


def test_only_dollars_with_two_decimals_are_read_as_a_price():
    assert {text: read_price(text) for text in PRICES} == PRICES
    assert [text for text in NO_PRICES if read_price(text) is not None] == []
