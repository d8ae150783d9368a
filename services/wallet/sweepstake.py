"""Conversion of USD deposits to sweepstake balance."""

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import floor

from services.shared.errors import Refusal
from services.shared.money import Cents

MAX_RATE = 10**9
LEAST_EXPONENT = -18
"""The exponent of the smallest rate: the exact fraction of a smaller one could fill the memory."""


class NoSweepstakeRate(Refusal):
    """SWEEPSTAKE_RATE is not a positive number."""

    status = 500
    text = "The sweepstake rate is not a positive number"


def rate(setting: str) -> Fraction:
    """Sweepstake balance per USD, exactly. Raises NoSweepstakeRate."""
    try:
        value = Decimal(setting)
    except InvalidOperation:
        raise NoSweepstakeRate from None
    if not setting.isascii() or "_" in setting or not value.is_finite():
        raise NoSweepstakeRate
    if not 0 < value <= MAX_RATE or value.adjusted() < LEAST_EXPONENT:
        raise NoSweepstakeRate
    return Fraction(value)


def balance_for(*, usd: Cents, setting: str) -> Cents:
    """The sweepstake balance for a deposit, rounded down to the cent. Raises NoSweepstakeRate."""
    return Cents(floor(usd * rate(setting)))
