"""/sweepstake: the conversion of USD, to the cent."""

from decimal import ROUND_FLOOR, Decimal
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as some

from services.shared.money import Cents
from services.wallet.sweepstake import balance_for

BAD_AMOUNT = "amount: must be a number from 0 to 1000000000 with at most two decimals"
BAD_RATE = {"error": "The sweepstake rate is not a positive number"}

BAD_AMOUNTS = (
    *("abc", "NaN", "nan", "Infinity", "-Infinity", "inf", "1e400", "0x10", "1_000"),
    *("1e", "1e+", "e2", "1e2.0", "1e-3", "1e9999999999999999999999", "007", "00", "-1e-2", "1e10"),
    *("-1", "-0.01", "+1", " 1", "1 ", "1,5", "1,000", "$5", "1.", ".5", "1..5", "1.2.3", "--1"),
    *("0.001", "5.005", "1000000000.01", "1000000001", "9" * 400, "true", "null", "[1]", "1;2"),
    *("\uff11\uff10", "\u0661", "1\u00a0", "1\x00", "1\n", "\u2212" + "1", "\u00bd"),
)


VALUES = {"1.0": 1, "": 1, "2": 2, "2.50": 2.5, "0.001": 0.001, "1e3": 1000}

# Rate, amount, balance.
DEPOSITS = (
    ("1", "100", 100),
    ("1", "0", 0),
    ("1", "12.34", 12.34),
    ("1", "12.3", 12.3),
    ("1", "1.000", 1),
    ("1", "1e2", 100),
    ("1", "1.25E+1", 12.5),
    ("1", "1234e-2", 12.34),
    ("1", "-0", 0),
    ("1", "0e400", 0),
    ("1", "1000000000", 1_000_000_000),
    ("1", "1000000000.00", 1_000_000_000),
    ("2.5", "10", 25),
    ("1.99", "0.01", 0.01),
    ("100", "0.29", 29),
    ("3", "1.15", 3.45),
    ("0.1", "9.99", 0.99),
    ("0.3333333333333333333333", "3", 0.99),
)

BAD_RATES = (
    *("0", "-1", "none", "NaN", "Infinity", "1e400", "1e-19", "1_0", "\uff11", "1,5", "0.0", "1e999999999"),
)


@pytest.fixture
def convert(make_app):
    """Requests a value with this rate configured, and returns the status and the JSON."""

    @cache
    def platform_of(rate):
        return make_app(SWEEPSTAKE_RATE=rate).test_client()

    def get(path, rate="1.0", **parameters):
        answer = platform_of(rate).get(f"/sweepstake/{path}", query_string=parameters)
        return answer.status_code, answer.json

    return get


def test_the_value_is_the_configured_rate(convert):
    shown = {rate: convert("value", rate) for rate in VALUES}

    assert shown == {rate: (200, {"value": value}) for rate, value in VALUES.items()}


def test_a_deposit_is_converted_and_rounded_down(convert):
    shown = [(rate, amount, convert("calc-deposit", rate, amount=amount)) for rate, amount, _ in DEPOSITS]

    assert shown == [(rate, amount, (200, {"value": balance})) for rate, amount, balance in DEPOSITS]


def test_a_bad_amount_is_refused(convert):
    answers = {amount: convert("calc-deposit", amount=amount) for amount in BAD_AMOUNTS}

    assert {amount: said for amount, said in answers.items() if said != (400, {"error": BAD_AMOUNT})} == {}


def test_an_amount_is_required(convert):
    answers = [
        convert("calc-deposit"),
        convert("calc-deposit", amount=""),
        convert("calc-deposit", Amount="5"),
    ]

    assert answers == [(400, {"error": "amount: is required"})] * 3


def test_a_rate_that_is_not_positive_is_a_calculation_error(convert):
    answers = {
        rate: [convert("value", rate), convert("calc-deposit", rate, amount="1")] for rate in BAD_RATES
    }

    assert {rate: said for rate, said in answers.items() if said != [(500, BAD_RATE)] * 2} == {}


@given(
    usd=some.integers(0, 10**11),
    rate=some.decimals(min_value=Decimal("0.0001"), max_value=10**6, places=4, allow_nan=False),
)
def test_the_result_is_rounded_down_for_any_rate_and_amount(usd, rate):
    balance = balance_for(usd=Cents(usd), setting=str(rate))

    assert balance == int((usd * rate).to_integral_value(ROUND_FLOOR))
