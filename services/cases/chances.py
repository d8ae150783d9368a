"""Percentages, exactly: whole quintillionths (10**-18) inside, numbers of percent outside."""

from collections.abc import Sequence
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import NewType

Attos = NewType("Attos", int)
"""A chance in parts of 10**18; a 64-bit column holds it. One percent is 10**16 of them."""

CERTAIN = Attos(10**18)
PERCENT = 10**16

_MOST_PERCENT = 100
_DECIMALS = 16
_EXACT = Context(prec=28, traps=[Inexact, InvalidOperation])


class NotAPercentage(ValueError):
    """Not a finite number from 0 to 100."""


class TooFine(NotAPercentage):
    """A number from 0 to 100 with more than 16 decimals."""


def attos_from_percent(value: object) -> Attos:
    """The exact chance of a JSON number of percent, as the exact JSON reader gives it (int or Decimal).

    Never rounds. Raises NotAPercentage, and TooFine where that is all that is wrong.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise NotAPercentage
    number = Decimal(value)
    if not number.is_finite() or not 0 <= number <= _MOST_PERCENT:
        raise NotAPercentage
    try:
        return Attos(int(number.quantize(Decimal(1).scaleb(-_DECIMALS), context=_EXACT).scaleb(_DECIMALS)))
    except (Inexact, InvalidOperation):
        raise TooFine from None


def percent_from_attos(chance: int) -> int | float:
    """The JSON number of percent: 33.3, or 33 when it is whole.

    A double is the nearest to what was written, as whoever reads JSON into doubles would have it anyway.
    """
    return chance // PERCENT if chance % PERCENT == 0 else chance / PERCENT


def share_equally(left: Attos, count: int) -> Sequence[Attos]:
    """What is left of a whole, split over this many; the parts that don't divide go one each to the first."""
    each, over = divmod(left, count)
    return [Attos(each + (place < over)) for place in range(count)]
