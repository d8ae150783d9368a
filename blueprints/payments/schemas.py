"""Schema of a payment."""

import marshmallow as ma

from blueprints.common.schemas import Coins, WireSchema


class PaymentSchema(WireSchema):
    """A deposit or withdrawal. ``amount`` is decimal text in units of the asset, ``date`` in ms."""

    id = ma.fields.String(required=True, data_key="_id")
    type = ma.fields.String(required=True)
    chain = ma.fields.String(required=True)
    asset = ma.fields.String(required=True)
    amount = ma.fields.String(required=True)
    usd_amount = Coins(required=True, attribute="usd_cents")
    txhash = ma.fields.String(required=True)
    to = ma.fields.String(required=True)
    date = ma.fields.Integer(required=True, attribute="created_at_ms")
