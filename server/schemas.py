"""The base of all schemas, and the fields of answers, each with its description, unit and example.

These fields are ``required``: an answer always has them.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any

import marshmallow as ma

from server.current_services import get_services
from services.cases.contents import percent_from_width
from services.shared.money import number_from_cents, price_text
from services.shared.text import camel_case

HTTP_URL = re.compile("https?://", re.IGNORECASE)


PLAIN_TYPES: dict[type, type] = {ma.fields.Boolean: bool, ma.fields.Integer: int, ma.fields.String: str}
"""The types that these fields dump as they are. Their subclasses may convert."""


class WireSchema(ma.Schema):
    """The base of every schema. Converts between snake_case names in Python and camelCase names in JSON.

    It dumps with its own loop over the fields, in a third of marshmallow's time. An attribute that is missing
    is an error, and there are no defaults and no hooks such as ``post_dump``.
    """

    class Meta:
        unknown = ma.EXCLUDE

    def on_bind_field(self, field_name: str, field_obj: ma.fields.Field[Any]) -> None:
        if field_obj.data_key is None:
            field_obj.data_key = camel_case(field_name)

    @cached_property
    def _columns(self) -> list[tuple[str, str | None, type | None, Callable[..., Any]]]:
        """Key, attribute, plain type and conversion of each field.

        There is no attribute where the whole object is converted. A value of the plain type stays as it is.
        """
        columns = []
        for name, field in self.dump_fields.items():
            attribute = (field.attribute or name) if field._CHECK_ATTRIBUTE else None  # noqa: SLF001
            plain = PLAIN_TYPES.get(type(field))
            columns.append((field.data_key or name, attribute, plain, field._serialize))  # noqa: SLF001
        return columns

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Dump an object or a dict, or a list of them."""
        if self.many if many is None else many:
            return [self.dump(each, many=False) for each in obj]
        read = dict.__getitem__ if isinstance(obj, dict) else getattr
        dumped = {}
        for key, attribute, plain, convert in self._columns:
            value = None if attribute is None else read(obj, attribute)
            if type(value) is not plain:
                value = convert(value, attribute, obj)
            if value is not ma.missing:
                dumped[key] = value
        return dumped


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


class Computed(ma.fields.Field[Any]):
    """The result of a function of one attribute; without ``attribute``, of the whole object."""

    def __init__(
        self, function: Callable[[Any], Any], json_type: str, description: str, example: Any, **options: Any
    ) -> None:
        metadata = documented(description, example, type=json_type)
        super().__init__(required=True, dump_only=True, metadata=metadata, **options)
        self._function = function
        self._CHECK_ATTRIBUTE = self.attribute is not None

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return self._function(value if self._CHECK_ATTRIBUTE else obj)


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
    """A chance in tickets inside (services/cases/contents.py), a JSON number of percent outside."""

    UNIT = "in percent, exact"
    EXAMPLE = 7.992

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> int | float:
        return percent_from_width(value)


class Picture(AnswerField):
    """The URL of a picture. ``neutral`` is the path of the one that is shown when none is stored.

    The database stores a path of this service, the URL of another host, or an empty text.
    """

    TYPE = "string"
    UNIT = "an absolute URL"

    def __init__(self, description: str, *, neutral: str, **options: Any) -> None:
        super().__init__(description, f"https://play.example.com{neutral}", **options)
        self._neutral = neutral

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str:
        if HTTP_URL.match(value):
            return str(value)
        path = value if value.startswith("/") else self._neutral
        return f"{get_services().settings.base_url}{path}"


ItemImage = partial(Picture, neutral="/media/neutral/item.webp")


class OwnPicture(Picture):
    """The URL of a picture, left out when none is stored."""

    def __init__(self, description: str, example: str) -> None:
        super().__init__(description, neutral=example, attribute="image")
        self.required = False

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:
        return super()._serialize(value, attr, obj, **kwargs) if value else ma.missing


Avatar = partial(Picture, neutral="/media/neutral/avatar.webp")


class Part(ma.fields.Nested):
    """A nested object whose fields are attributes of the same object as the fields around it."""

    _CHECK_ATTRIBUTE = False

    def _serialize(self, _value: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return super()._serialize(obj, attr, obj, **kwargs)  # type: ignore[no-untyped-call]


def one_of(*values: str) -> ma.validate.OneOf:
    """A validator for an enumerated parameter."""
    return ma.validate.OneOf(values, error=f"must be one of {', '.join(values)}")
