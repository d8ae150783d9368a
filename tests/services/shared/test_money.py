"""Amounts are read exactly or refused, and written exactly."""

import json
from decimal import Decimal
from fractions import Fraction
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from services.shared import decimal_json
from services.shared.money import (
    MAX_AMOUNT_CENTS,
    InvalidAmount,
    cents_from_number,
    cents_from_price,
    number_from_cents,
    price_text,
)

BOUND = 1_000_000_000
FORTY_ZEROS = "0" * 40

amounts = st.integers(min_value=-MAX_AMOUNT_CENTS, max_value=MAX_AMOUNT_CENTS)
any_cents_from_number = partial(cents_from_number, least=-MAX_AMOUNT_CENTS)


def test_an_amount_of_at_most_two_decimals_is_accepted():
    accepted = [
        *((0, 0), (Decimal("-0.0"), 0), (1, 100), (0.1, 10), (0.07, 7), (12.34, 1234), (-12.34, -1234)),
        *((Decimal("12.34"), 1234), (Decimal("12.340000"), 1234), (Decimal("1.5e-1"), 15)),
        *((Decimal("1e2"), 10_000), (Decimal("999999999.99"), 100 * BOUND - 1)),
        *((BOUND, 100 * BOUND), (-BOUND, -100 * BOUND)),
    ]

    assert [(number, any_cents_from_number(number)) for number, _ in accepted] == accepted


def refused(number, **bound):
    try:
        cents_from_number(number, **bound)
    except InvalidAmount:
        return True
    return False


def test_a_number_too_fine_large_or_infinite_is_refused():
    further = [
        *(1.005, 0.001, 0.1 + 0.2),
        *("12.345", "1e-3", f"1.{FORTY_ZEROS}1", f"0.99{'9' * 40}", f"999999999.99{FORTY_ZEROS}1"),
        *(f"{BOUND}.{FORTY_ZEROS}1", "1e-400", "1e-1000000"),
    ]
    too_large = [
        *(BOUND + 1, -BOUND - 1, 1e22, 10**4000),
        *("1000000000.01", "-1000000000.01", "1e400", "1e1000000", "-1e1000000"),
    ]
    not_finite = ["NaN", "sNaN", "Infinity", "-Infinity", float("nan"), float("inf"), float("-inf")]
    numbers = [Decimal(each) if isinstance(each, str) else each for each in further + too_large + not_finite]

    assert [number for number in numbers if not refused(number, least=-MAX_AMOUNT_CENTS)] == []


def test_a_number_below_the_least_amount_is_refused():
    assert [refused(number) for number in (-0.01, 0)] == [True, False]
    assert [refused(number, least=100) for number in (0.99, 1)] == [True, False]


def test_values_of_other_types_are_refused():
    values = [None, True, False, "5", "", b"5", [5], {"amount": 5}, 5j, Fraction(5)]

    assert [value for value in values if not refused(value)] == []


@given(number=st.one_of(st.decimals(), st.floats(), st.integers()))
def test_a_number_is_accepted_exactly_or_refused(number):
    try:
        cents = any_cents_from_number(number)
    except InvalidAmount:
        return

    assert Fraction(cents, 100) == Fraction(str(number))


@given(cents=amounts)
def test_every_amount_survives_writing_and_reading(cents):
    written = json.dumps(number_from_cents(cents))

    assert any_cents_from_number(decimal_json.loads(written)) == cents
    assert any_cents_from_number(json.loads(written)) == cents
    assert len(written.partition(".")[2]) <= 2


def test_a_whole_amount_is_written_without_a_point():
    written = {0: "0", 1200: "12", 1210: "12.1", 1: "0.01", -1: "-0.01", -1200: "-12", 10**11: "1000000000"}

    assert {cents: json.dumps(number_from_cents(cents)) for cents in written} == written


@given(cents=st.integers(min_value=0, max_value=MAX_AMOUNT_CENTS))
def test_every_price_is_read_back_from_its_text(cents):
    assert cents_from_price(price_text(cents)) == cents
