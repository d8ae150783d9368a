"""The base of all schemas, and their fields, each with its description, unit and example.

The fields of answers are ``required``: an answer always has them.
"""

import re
from collections.abc import Callable, Mapping
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


def documented(description: str, *examples: Any, **keywords: Any) -> dict[str, Any]:
    """The metadata of a field: what it means, examples, and further keywords of JSON Schema."""
    return {"description": description, "examples": list(examples), **keywords}


def text(description: str, example: str, **options: Any) -> ma.fields.String:
    return ma.fields.String(required=True, metadata=documented(description, example), **options)


def count(description: str, example: int, **options: Any) -> ma.fields.Integer:
    return ma.fields.Integer(required=True, metadata=documented(description, example), **options)


def flag(description: str, example: bool = True, **options: Any) -> ma.fields.Boolean:  # noqa: FBT001, FBT002
    return ma.fields.Boolean(required=True, metadata=documented(description, example), **options)


class SuccessSchema(WireSchema):
    """The change was made."""

    success = flag("Always true")


def epoch_ms(description: str, **options: Any) -> ma.fields.Integer:
    metadata = documented(f"{description}; Unix time in milliseconds", 1_795_336_797_705, format="int64")
    return ma.fields.Integer(required=True, metadata=metadata, **options)


def computed(
    function: Callable[[Any], Any], json_type: str, description: str, example: Any, **keywords: Any
) -> ma.fields.Function:
    """A field that is computed from the whole object. ``keywords`` are of JSON Schema."""
    metadata = documented(description, example, type=json_type, **keywords)
    return ma.fields.Function(function, required=True, metadata=metadata)


class AnswerField(ma.fields.Field[Any]):
    """The base of fields whose values in JSON have a unit."""

    TYPE = "number"
    UNIT: str
    EXAMPLE: float | str = 12.4

    def __init__(self, description: str, example: float | str | None = None, **options: Any) -> None:
        shown = self.EXAMPLE if example is None else example
        metadata = documented(f"{description}; {self.UNIT}", shown, type=self.TYPE)
        super().__init__(required=True, metadata=metadata, **options)


class Coins(AnswerField):
    """Cents inside, a JSON number of coins outside."""

    UNIT = "in coins, with at most two decimals"

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> int | float | None:
        return None if value is None else number_from_cents(value)


class Usd(Coins):
    """US cents inside, a JSON number of US dollars outside."""

    UNIT = "in US dollars, with at most two decimals"


class Price(AnswerField):
    """Cents inside, a text such as $12.34 outside; null when there is no price."""

    TYPE = "string"
    UNIT = "in coins, as text with a dollar sign and two decimals"
    EXAMPLE = "$12.40"

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else price_text(value)


class Percentage(AnswerField):
    """A chance in attos inside (services/cases/chances.py), a JSON number of percent outside."""

    UNIT = "in percent, exact"
    EXAMPLE = 7.992

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> int | float:
        return percent_from_attos(value)


class Part(ma.fields.Nested):
    """A nested object whose fields are attributes of the same object as the fields around it."""

    _CHECK_ATTRIBUTE = False

    def _serialize(self, _value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return super()._serialize(obj, attr, obj, **kwargs)  # type: ignore[no-untyped-call]


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


def choice(default: StrEnum, description: str) -> ma.fields.Enum[Any]:
    """A parameter that is a member of the default's enumeration, by value."""
    return ma.fields.Enum(
        type(default),
        by_value=True,
        load_default=default,
        metadata=documented(description, default.value, type="string"),
        error_messages={"unknown": "must be one of {choices}"},
    )


def one_of(*values: str) -> ma.validate.OneOf:
    """A validator for an enumerated parameter."""
    return ma.validate.OneOf(values, error=f"must be one of {', '.join(values)}")


def camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)
