"""Money: whole cents inside, JSON numbers of coins (12.34) and price texts ($12.34) outside."""

import re
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import NewType

from services.shared.errors import Refusal

Cents = NewType("Cents", int)
"""A whole number of hundredths of a coin. The only form that money has inside the program."""

NO_COINS = Cents(0)

MAX_AMOUNT_CENTS = Cents(1_000_000_000 * 100)
"""The largest amount that input may have: 1,000,000,000 coins."""

_MAX_COINS = MAX_AMOUNT_CENTS // 100
_HUNDREDTH = Decimal("0.01")
_PRICE_TEXT = re.compile(r"\$((?:0|[1-9][0-9]{0,9})\.[0-9]{2})", re.ASCII)
_EXACT = Context(prec=28, traps=[Inexact, InvalidOperation])


class InvalidAmount(Refusal):
    """The input is not a finite number within the bounds, with at most two decimals."""

    text = "Invalid amount"


def cents_from_number(value: object, *, least: Cents = NO_COINS) -> Cents:
    """Exact cents of a JSON number of coins.

    Takes an int or a Decimal, as decimal_json returns them, and a float whose shortest text has at most two
    decimals. Never rounds. Raises InvalidAmount, also for less than ``least``.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InvalidAmount
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite() or not -_MAX_COINS <= number <= _MAX_COINS:
        raise InvalidAmount
    try:
        cents = Cents(int(number.quantize(_HUNDREDTH, context=_EXACT).scaleb(2)))
    except (Inexact, InvalidOperation):
        raise InvalidAmount from None
    if cents < least:
        raise InvalidAmount
    return cents


def cents_from_price(value: object) -> Cents:
    """Exact cents of a price: a JSON number of coins, or a text as ``price_text`` makes it.

    Raises InvalidAmount.
    """
    if not isinstance(value, str):
        return cents_from_number(value)
    text = _PRICE_TEXT.fullmatch(value)
    if text is None:
        raise InvalidAmount
    return cents_from_number(Decimal(text[1]))


def is_amount(value: object, cents: Cents) -> bool:
    """Whether a JSON number of coins is exactly this amount."""
    try:
        return cents_from_number(value) == cents
    except InvalidAmount:
        return False


def number_from_cents(cents: int) -> int | float:
    """The JSON number for an amount: 12.34, or 12 when it is whole.

    A double holds every amount below 90 trillion coins to the cent.
    """
    return cents / 100 if cents % 100 else cents // 100


def decimal_text(cents: int) -> str:
    """An amount of 0 or more with its two decimals: 12.34, no grouping."""
    return f"{cents // 100}.{cents % 100:02d}"


def price_text(cents: int) -> str:
    """An item price as the front end shows it: $12.34."""
    return f"${decimal_text(cents)}"
