"""Fields of what clients send: parameters of queries, and values of bodies."""

import re
from contextlib import suppress
from enum import StrEnum
from typing import Any

import marshmallow as ma

from server.schemas import documented, one_of
from services.shared import decimal_json
from services.shared.money import InvalidAmount, cents_from_number
from services.shared.text import is_storable

ALL = "all"
"""The value of a filter that lets everything through."""

MAX_LIMIT = 100
MOST_DIGITS = 4_000
LARGEST_PAGE = 10**MOST_DIGITS


class WholeNumber(ma.fields.Field[int]):
    """A query parameter that is a whole number from 1."""

    def __init__(self, description: str, *, default: int, most: int | None = None) -> None:
        bound = {"maximum": most} if most else {}
        metadata = documented(description, 1, type="integer", minimum=1, **bound)
        super().__init__(load_default=default, metadata=metadata)
        self._most = most

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if re.fullmatch(r"[0-9]+", str(value), re.ASCII):
            # Python refuses to read numbers of thousands of digits; every such page is past the end.
            number = int(value) if len(value) <= MOST_DIGITS else LARGEST_PAGE
            if number >= 1 and (self._most is None or number <= self._most):
                return number
        bound = f"from 1 to {self._most}" if self._most else "from 1"
        raise ma.ValidationError(f"must be a whole number {bound}")


class Amount(ma.fields.Field[int]):
    """A query parameter that is an amount of money, written as a JSON number; cents in Python."""

    default_error_messages = {"required": "is required"}

    def __init__(self, description: str, example: float, *, unit: str = "coins", **options: Any) -> None:
        text = f"{description}; in {unit}, with at most two decimals"
        super().__init__(metadata=documented(text, example, type="number"), **options)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        # JSON would allow blanks around the number.
        with suppress(ValueError, InvalidAmount):
            if value == value.strip():
                return cents_from_number(decimal_json.loads(value))
        raise ma.ValidationError("must be a number from 0 to 1000000000 with at most two decimals")


class Unvalidated(ma.fields.Field[Any]):
    """A required key of a body that is not validated here; None when it is missing.

    The contract promises the order of some checks, so the service makes them all.
    """

    def __init__(self, json_type: str, description: str, example: Any, **keywords: Any) -> None:
        metadata = documented(description, example, type=json_type, **keywords)
        super().__init__(required=True, metadata=metadata)

    def deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        return None if value is ma.missing else value


class Text(ma.fields.String):
    """Text that both databases can store."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **kwargs)
        if not is_storable(text):
            raise ma.ValidationError("must not have NUL characters or lone surrogates")
        return text


def search_text(description: str, example: str) -> Text:
    """A parameter that selects what contains it."""
    return Text(load_default="", metadata=documented(description, example))


def least_price() -> Amount:
    """A filter of a list by price, as ``min_price_cents``."""
    return Amount("The lowest price", 5, data_key="minPrice", load_default=no_bound)


def most_price() -> Amount:
    """A filter of a list by price, as ``max_price_cents``."""
    return Amount("The highest price", 20, data_key="maxPrice", load_default=no_bound)


def no_bound() -> None:
    """The default of a filter. As a function it is not documented, or clients would send it as ``null``."""


def choice(default: StrEnum, description: str, **options: Any) -> ma.fields.Enum[Any]:
    """A parameter that is a member of the default's enumeration, by value."""
    return ma.fields.Enum(
        type(default),
        by_value=True,
        load_default=default,
        metadata=documented(description, default.value, type="string"),
        error_messages={"unknown": "must be one of {choices}"},
        **options,
    )


def text_choice(description: str, *values: str, default: str) -> ma.fields.String:
    """A parameter that is one of these values."""
    metadata = documented(description, default)
    return ma.fields.String(load_default=default, validate=one_of(*values), metadata=metadata)
