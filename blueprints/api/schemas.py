"""The base of all schemas, and fields for money, percentages and parameters."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import marshmallow as ma

from blueprints.api.dump import DumpingSchema
from services.cases.chances import percent_from_attos
from services.shared.money import number_from_cents, price_text
from services.shared.text_validation import is_storable

MAX_LIMIT = 100
MOST_DIGITS = 4_000
LARGEST_PAGE = 10**MOST_DIGITS


class WireSchema(DumpingSchema):
    """The base of every schema. Converts between snake_case names in Python and camelCase names in JSON."""

    class Meta:
        unknown = ma.EXCLUDE

    def on_bind_field(self, field_name: str, field_obj: ma.fields.Field[Any]) -> None:
        if field_obj.data_key is None:
            field_obj.data_key = camel_case(field_name)


class QuerySchema(WireSchema):
    """The base of query parameters. An empty value counts as left out."""

    @ma.pre_load
    def drop_empty(self, data: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        return {name: value for name, value in data.items() if value != ""}


class Coins(ma.fields.Field[int]):
    """Cents inside, a JSON number of coins outside."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> int | float | None:
        return None if value is None else number_from_cents(value)


class Price(ma.fields.Field[int]):
    """Cents inside, a text such as $12.34 outside; null when there is no price."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else price_text(value)


class Percentage(ma.fields.Field[int]):
    """A chance in attos inside (services/cases/chances.py), a JSON number of percent outside."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> int | float:
        return percent_from_attos(value)


class Part(ma.fields.Nested):
    """A nested object whose fields are attributes of the same object as the fields around it."""

    _CHECK_ATTRIBUTE = False

    def _serialize(self, _value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return super()._serialize(obj, attr, obj, **kwargs)  # type: ignore[no-untyped-call]


class WholeNumber(ma.fields.Field[int]):
    """A query parameter that is a whole number from 1."""

    def __init__(self, *, most: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._most = most

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        if re.fullmatch(r"[0-9]+", str(value), re.ASCII):
            # Python refuses to read numbers of thousands of digits; every such page is past the end.
            number = int(value) if len(value) <= MOST_DIGITS else LARGEST_PAGE
            if number >= 1 and (self._most is None or number <= self._most):
                return number
        bound = f"from 1 to {self._most}" if self._most else "from 1"
        raise ma.ValidationError(f"must be a whole number {bound}")


class Unvalidated(ma.fields.Field[Any]):
    """A required key of a body that is not validated here; None when it is missing.

    The contract promises the order of some checks, so the service makes them all.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(required=True, **kwargs)

    def deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        return None if value is ma.missing else value


WIRE_TYPES = {Coins: "number", Price: "string", Percentage: "number", WholeNumber: "integer"}
"""The types of these fields in the API document."""


class Text(ma.fields.String):
    """Text that both databases can store."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text: str = super()._deserialize(value, attr, data, **kwargs)
        if not is_storable(text):
            raise ma.ValidationError("must not have NUL characters or lone surrogates")
        return text


def choice(default: StrEnum, description: str) -> ma.fields.Enum[Any]:
    """A parameter that is a member of the default's enumeration, by value."""
    return ma.fields.Enum(
        type(default),
        by_value=True,
        load_default=default,
        metadata={"type": "string", "description": description},
        error_messages={"unknown": "must be one of {choices}"},
    )


def one_of(*values: str) -> ma.validate.OneOf:
    """A validator for an enumerated parameter."""
    return ma.validate.OneOf(values, error=f"must be one of {', '.join(values)}")


def camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
