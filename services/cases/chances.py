"""Chances as exact integers: percentages outside, the width in tickets inside."""

from collections.abc import Sequence
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import NewType

from services.shared.errors import Refusal

Width = NewType("Width", int)
"""How many of 10**18 tickets win an item, which fits a 64-bit column. One percent is 10**16."""

CERTAIN = Width(10**18)
PERCENT = 10**16

_MAX_PERCENT = 100
_DECIMALS = 16
_EXACT = Context(prec=28, traps=[Inexact, InvalidOperation])


def width_from_percent(value: object) -> Width:
    """The exact chance of a JSON percentage, an int or a Decimal. Never rounds.

    Raises Refusal for no number from 0 to 100, and for more than 16 decimals.
    """
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    number = Decimal(value) if is_number else Decimal("NaN")  # type: ignore[arg-type]  # checked above
    if not number.is_finite() or not 0 <= number <= _MAX_PERCENT:
        raise Refusal("Each item must have a percentage that is a number from 0 to 100")
    try:
        return Width(int(number.quantize(Decimal(1).scaleb(-_DECIMALS), context=_EXACT).scaleb(_DECIMALS)))
    except (Inexact, InvalidOperation):
        raise Refusal("A percentage can have at most 16 decimals") from None


def percent_from_width(chance: int) -> int | float:
    """The JSON percentage of a chance: 33.3, or 33 when it is whole.

    The nearest double to the exact percentage, which JSON readers would round to anyway.
    """
    return chance // PERCENT if chance % PERCENT == 0 else chance / PERCENT


def exact_percent(chance: int) -> str:
    """The exact percentage of a chance as a decimal number, also of one above 100 %."""
    whole, rest = divmod(chance, PERCENT)
    return f"{whole}.{rest:0{_DECIMALS}}".rstrip("0").rstrip(".")


def difference_to_certain(chance: int) -> str:
    """What a sum of chances lacks, or has too much, in words."""
    left = CERTAIN - chance
    return f"{exact_percent(abs(left))} {'is missing' if left > 0 else 'too much'}"


def share_equally(left: Width, count: int) -> Sequence[Width]:
    """Split a chance into equal parts; the remainder goes to the first ones, one ticket each."""
    each, over = divmod(left, count)
    return [Width(each + (place < over)) for place in range(count)]
