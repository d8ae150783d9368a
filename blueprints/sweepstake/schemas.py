"""Schemas of the conversion."""

import marshmallow as ma

from blueprints.api.parameters import Amount
from server.schemas import QuerySchema, WireSchema, documented


class DepositQuery(QuerySchema):
    amount = Amount("The deposit", 100, unit="US dollars", required=True)


class ValueSchema(WireSchema):
    """The result."""

    value = ma.fields.Raw(required=True, metadata=documented("The balance, in coins", 100, type="number"))
