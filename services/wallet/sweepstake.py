"""Conversion of USD deposits to sweepstake balance."""

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import floor

from services.shared.errors import Refusal
from services.shared.money import Cents

MAX_RATE = 10**9
LEAST_EXPONENT = -18
"""The exponent of the smallest rate: the exact fraction of a smaller one could fill the memory."""


def rate(setting: str) -> Fraction:
    """Sweepstake balance per USD, exactly. Raises Refusal if SWEEPSTAKE_RATE is not a positive number."""
    try:
        value = Decimal(setting)
    except InvalidOperation:
        value = Decimal("NaN")
    is_number = setting.isascii() and "_" not in setting and value.is_finite()
    if not is_number or not 0 < value <= MAX_RATE or value.adjusted() < LEAST_EXPONENT:
        raise Refusal("The sweepstake rate is not a positive number", status=500)
    return Fraction(value)


def balance_for(*, usd: Cents, setting: str) -> Cents:
    """The sweepstake balance for a deposit, rounded down to the cent. Raises what ``rate`` raises."""
    return Cents(floor(usd * rate(setting)))
