"""Schemas of the conversion."""

import re
from decimal import Decimal, InvalidOperation
from typing import Any

import marshmallow as ma

from blueprints.api.schemas import QuerySchema, WireSchema, documented
from services.shared.money import NotAnAmount, cents_from_number

JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


class UsdAmount(ma.fields.Field[int]):
    """A query parameter that is an amount of USD written as a JSON number; cents in Python."""

    default_error_messages = {"required": "is required"}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        try:
            if JSON_NUMBER.fullmatch(value) and (cents := cents_from_number(Decimal(value))) >= 0:
                return cents
        except (NotAnAmount, InvalidOperation):
            # Decimal raises InvalidOperation for an exponent that is too large.
            pass
        raise ma.ValidationError("must be a number from 0 to 1000000000 with at most two decimals")


class DepositQuery(QuerySchema):
    amount = UsdAmount(
        required=True,
        metadata=documented("The deposit; in US dollars, with at most two decimals", 100, type="number"),
    )


class ValueSchema(WireSchema):
    """The result."""

    value = ma.fields.Raw(required=True, metadata=documented("The balance, in coins", 100, type="number"))
