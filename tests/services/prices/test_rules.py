"""Which prices are accepted, and which prices of the market can be read."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.prices.market import read_price
from services.prices.rules import judge

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


@pytest.mark.parametrize(("stated", "current"), [(1001, 100), (9, 100), (0, 100), (0, None)])
def test_an_accepted_jump_sets_the_price(stated, current):
    assert verdict_on(stated, current, accept_jumps=True) == "new"


def test_invalid_prices_are_held_back_even_when_jumps_are_accepted():
    nonsense = [None, True, False, "100", "", -1, 12.5, 100.0, Decimal(100), [], {}, MOST + 1, 10**30]

    verdicts = {
        verdict_on(stated, 100, accept_jumps=accept) for stated in nonsense for accept in (True, False)
    }

    assert verdicts == {"held back"}


@given(stated=whole_prices, current=whole_prices)
def test_the_same_limit_holds_for_rising_and_falling_prices(stated, current):
    assert (verdict_on(stated, current) == "held back") == (verdict_on(current, stated) == "held back")


@pytest.mark.parametrize(
    ("text", "cents"),
    [
        ("$0.03", 3),
        ("$999.99", 99_999),
        ("$1,234.56", 123_456),
        ("$1234.56", 123_456),
        ("$12,345,678.90", 1_234_567_890),
    ],
)
def test_a_market_price_is_read_to_the_cent(text, cents):
    assert read_price(text) == cents


def test_other_texts_are_not_read_as_prices():
    nonsense = ["", "$", "12.34", "$12", "$12.3", "$12.345", "$1,23.45", "$12,34.56", "$,123.45", "$1.234,56"]
    nonsense += [
        "12,34€",
        "£1.00",
        "$-1.00",
        "-$1.00",
        "$1.00 ",
        " $1.00",
        "$1.00\n",
        "$\u0661.00",
        "$1e3.00",
    ]
    nonsense += ["$" + "9" * 30 + ".00", None, 12.34, 1234, True, ["$1.00"]]

    assert [text for text in nonsense if read_price(text) is not None] == []
