"""Schemas of the profile."""

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import marshmallow as ma

from blueprints.api.schemas import Part, Text, Unvalidated, WireSchema
from blueprints.auth.schemas import PublicUserSchema
from services.accounts.users import USERNAME

MAX_DETAIL = 120
PHONE = re.compile(r"(\+[1-9][0-9]{6,14})?", re.ASCII)
CONTROL_CATEGORIES = {"Cc", "Zl", "Zp"}


class SuccessSchema(WireSchema):
    success = ma.fields.Boolean(required=True)


class NotificationSchema(WireSchema):
    """A message to the player. ``date`` in ms."""

    title = ma.fields.String(required=True)
    message = ma.fields.String(required=True)
    date = ma.fields.Integer(required=True, attribute="created_at_ms")


class PublicUserAnswerSchema(WireSchema):
    status = ma.fields.Boolean(required=True)
    user = ma.fields.Nested(PublicUserSchema, required=True)


class LockSchema(WireSchema):
    """Coins to lock, and until when, in ms. The service checks both, in the order of SPEC 4.8."""

    amount = Unvalidated(metadata={"type": "number", "exclusiveMinimum": 0, "maximum": 1_000_000_000})
    deadline = Unvalidated(metadata={"type": "integer", "minimum": 1})


class TradeUrlSchema(WireSchema):
    url = Unvalidated(
        metadata={"type": "string", "pattern": r"^https://[^/]+/tradeoffer/new/\?partner=[0-9]+"}
    )


class ClientSeedSchema(WireSchema):
    client_seed = Unvalidated(metadata={"type": "string", "pattern": "^[A-Za-z0-9_-]{4,64}$"})


class Detail(Text):
    """A line of text; spaces around it are removed."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if any(unicodedata.category(character) in CONTROL_CATEGORIES for character in text):
            raise ma.ValidationError("must not have line breaks or control characters")
        text = text.strip()
        if len(text) > MAX_DETAIL:
            raise ma.ValidationError(f"must have at most {MAX_DETAIL} characters")
        return text


def whole_match(pattern: re.Pattern[str], problem: str) -> Callable[[str], None]:
    """A validator that matches the whole text."""

    def validate(text: str) -> None:
        if not pattern.fullmatch(text):
            raise ma.ValidationError(problem)

    return validate


class ShippingAddressSchema(WireSchema):
    class Meta:
        unknown = ma.RAISE

    address_line1 = Detail()
    address_line2 = Detail()
    city = Detail()
    zip_code = Detail()
    state = Detail()
    country = Detail()


class DetailsSchema(WireSchema):
    """Any of the details. An unknown key or a null is refused."""

    class Meta:
        unknown = ma.RAISE

    username = Text(
        validate=whole_match(USERNAME, "must be 3 to 32 letters, digits, dots, dashes and underscores")
    )
    first_name = Detail()
    last_name = Detail()
    phone = Detail(validate=whole_match(PHONE, "must be + and 7 to 15 digits, or empty"))
    shipping_address = Part(ShippingAddressSchema)


class DetailsAnswerSchema(WireSchema):
    success = ma.fields.Boolean(required=True)
    data = ma.fields.Nested(DetailsSchema, required=True)
