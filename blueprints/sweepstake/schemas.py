"""The shapes of the conversion."""

import re
from decimal import Decimal
from typing import Any

import marshmallow as ma

from blueprints.common.schemas import QuerySchema, WireSchema
from services.money import MAX_AMOUNT_CENTS

AMOUNT = re.compile(r"[0-9]+(\.[0-9]{1,2})?", re.ASCII)


class UsdAmount(ma.fields.Field[int]):
    """A query parameter that is a plain decimal number of USD; cents inside."""

    default_error_messages = {"required": "is required"}

    def _deserialize(self, value: Any, _attr: str | None, _data: Any, **_: Any) -> int:
        if AMOUNT.fullmatch(value):
            cents = Decimal(value).scaleb(2)
            if cents <= MAX_AMOUNT_CENTS:
                return int(cents)
        raise ma.ValidationError("must be a number from 0 to 1000000000 with at most two decimals")


class DepositQuery(QuerySchema):
    amount = UsdAmount(required=True, metadata={"type": "number", "description": "USD"})


class ValueSchema(WireSchema):
    value = ma.fields.Raw(required=True, metadata={"type": "number"})
