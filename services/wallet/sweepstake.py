"""Conversion of USD deposits to sweepstake balance."""

from contextlib import suppress
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import floor

from services.shared.errors import PlatformError
from services.shared.money import Cents

MAX_RATE = 10**9
LEAST_EXPONENT = -18
"""The exponent of the smallest rate: the exact fraction of a smaller one could fill the memory."""


def rate(setting: str) -> Fraction:
    """Sweepstake balance per USD, exactly. Raises PlatformError unless it is a positive number."""
    # Decimal would also accept digits of other scripts, and underscores.
    with suppress(InvalidOperation):
        value = Decimal(setting if setting.isascii() and "_" not in setting else "NaN")
        if value.is_finite() and 0 < value <= MAX_RATE and value.adjusted() >= LEAST_EXPONENT:
            return Fraction(value)
    raise PlatformError("The sweepstake rate is not a positive number", status=500)


def balance_for(*, usd: Cents, setting: str) -> Cents:
    """The sweepstake balance for a deposit, rounded down to the cent. Raises what ``rate`` raises."""
    return Cents(floor(usd * rate(setting)))
