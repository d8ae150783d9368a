"""Reading JSON with exact numbers, and writing it."""

from decimal import Decimal

import pytest
from hypothesis import given
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


@pytest.mark.parametrize("text", ["1.005", "0.1", f"1.{'0' * 40}1", "1e400", "-2.50"])
def test_a_fraction_is_a_decimal_and_keeps_its_digits(text):
    number = decimal_json.loads(text)

    assert isinstance(number, Decimal)
    assert number.as_tuple() == Decimal(text).as_tuple()


def test_a_whole_number_stays_one_however_large():
    assert decimal_json.loads("123456789012345678901234567890") == 123456789012345678901234567890


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_nan_and_infinity_are_read_as_non_finite_values(text):
    number = decimal_json.loads(f'{{"amount": {text}}}')["amount"]

    assert isinstance(number, Decimal)
    assert not number.is_finite()


@pytest.mark.parametrize("value", ["true", "false"])
def test_a_boolean_is_not_a_number(value):
    assert isinstance(decimal_json.loads(value), bool)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[1,]",
        "{'a': 1}",
        '{"a" 1}',
        "01",
        "1.",
        ".5",
        "+1",
        "0x10",
        "nan",
        "1 2",
        '"\n"',
        "\ufeff1",
    ],
    ids=ascii,
)
def test_malformed_text_is_a_value_error(text):
    with pytest.raises(ValueError):
        decimal_json.loads(text)


@pytest.mark.parametrize("data", [b"\xff", b'"\xc3"'])
def test_bytes_that_are_not_utf_8_are_a_value_error(data):
    with pytest.raises(ValueError):
        decimal_json.loads(data)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_deep_nesting_is_a_value_error(opening):
    with pytest.raises(ValueError):
        decimal_json.loads(opening * 20_000)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '{"a": 1, "\\u0061": 2}', '[{"b": {"": 1, "": 2}}]'])
def test_a_duplicate_key_is_a_separate_error(text):
    with pytest.raises(decimal_json.RepeatedKey):
        decimal_json.loads(text)


def test_several_objects_may_have_the_same_key():
    assert decimal_json.loads('{"a": {"a": 1}, "b": [{"a": 2}]}') == {"a": {"a": 1}, "b": [{"a": 2}]}


def test_an_integer_of_thousands_of_digits_is_a_value_error():
    with pytest.raises(ValueError):
        decimal_json.loads("1" * 5_000)


@pytest.mark.parametrize(
    "text", ["1e99999999999999999999", "-1e99999999999999999999", "1.5e-99999999999999999999"]
)
def test_an_exponent_beyond_all_decimals_is_a_value_error(text):
    with pytest.raises(ValueError):
        decimal_json.loads(f"[{text}]")


@given(text=st.text(st.sampled_from('[]{}":,0123456789eE.+- aflnrstu\\\N{TRADE MARK SIGN}')))
def test_any_text_is_read_or_raises_a_value_error(text):
    try:
        decimal_json.loads(text)
    except ValueError:
        return


@given(value=wire_values)
def test_written_values_are_read_back_unchanged(value):
    assert decimal_json.loads(decimal_json.dumps(value)) == value


def test_the_text_is_compact_and_in_the_order_given():
    assert decimal_json.dumps({"b": [1, None], "a": "x"}) == '{"b":[1,null],"a":"x"}'


def test_a_decimal_is_written_as_a_number():
    assert decimal_json.dumps({"amount": Decimal("12.34")}) == '{"amount":12.34}'


@pytest.mark.parametrize(
    "number", [float("nan"), float("inf"), Decimal("NaN"), Decimal("-Infinity"), Decimal("1e400")]
)
def test_non_finite_numbers_are_not_written(number):
    with pytest.raises(ValueError):
        decimal_json.dumps([number])


def test_types_unknown_to_json_are_not_written():
    with pytest.raises(TypeError, match="set is not JSON"):
        decimal_json.dumps({"items": set()})
