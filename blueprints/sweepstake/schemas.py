"""Schemas of the conversion."""

from contextlib import suppress
from typing import Any

import marshmallow as ma

from server.schemas import QuerySchema, WireSchema, documented
from services.shared import decimal_json
from services.shared.money import InvalidAmount, cents_from_number


class UsdAmount(ma.fields.Field[int]):
    """A query parameter that is an amount of USD written as a JSON number; cents in Python."""

    default_error_messages = {"required": "is required"}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        # JSON would allow blanks around the number.
        with suppress(ValueError, InvalidAmount):
            if value == value.strip():
                return cents_from_number(decimal_json.loads(value))
        raise ma.ValidationError("must be a number from 0 to 1000000000 with at most two decimals")


class DepositQuery(QuerySchema):
    amount = UsdAmount(
        required=True,
        metadata=documented("The deposit; in US dollars, with at most two decimals", 100, type="number"),
    )


class ValueSchema(WireSchema):
    """The result."""

    value = ma.fields.Raw(required=True, metadata=documented("The balance, in coins", 100, type="number"))
