"""Reading JSON with exact numbers, and writing it."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.shared import decimal_json

finite = st.decimals(allow_nan=False, allow_infinity=False)

# What goes over the wire: an amount is a decimal of two places at most.
wire_values = st.recursive(
    st.none()
    | st.booleans()
    | st.text()
    | st.integers(min_value=-(2**63), max_value=2**63)
    | st.decimals(min_value=-(10**9), max_value=10**9, places=2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(number=finite)
def test_a_fraction_is_read_as_an_exact_decimal(number):
    text = f"{number:f}" if -50 < number.adjusted() < 50 else f"{number:E}"

    assert Decimal(decimal_json.loads(text)) == number


def test_nan_and_infinity_are_read_as_non_finite_decimals():
    numbers = decimal_json.loads("[NaN, Infinity, -Infinity]")

    assert [isinstance(number, Decimal) and number.is_finite() for number in numbers] == [False] * 3


def test_bytes_that_are_not_text_are_a_value_error():
    for text in (b"\xff", b'"\xc3"', b'"\xed\xa0\x80"'):
        with pytest.raises(ValueError):
            decimal_json.loads(text)


@settings(max_examples=50)
@given(value=wire_values)
def test_written_values_are_read_back_unchanged(value):
    assert decimal_json.loads(decimal_json.dumps(value)) == value


def test_json_text_is_compact_ordered_and_has_exact_decimals():
    assert decimal_json.dumps({"b": [1, None], "a": Decimal("12.34")}) == '{"b":[1,null],"a":12.34}'


def test_non_finite_numbers_and_unknown_types_are_not_written():
    for number in (float("nan"), float("inf"), Decimal("NaN"), Decimal("-Infinity"), Decimal("1e400")):
        with pytest.raises(ValueError):
            decimal_json.dumps([number])
    with pytest.raises(TypeError, match="set is not JSON"):
        decimal_json.dumps({"items": set()})
