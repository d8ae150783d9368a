"""The shapes of cases of real-life things."""

import marshmallow as ma

from blueprints.common.media import ItemImage
from blueprints.common.schemas import Coins, Percentage, Price, WireSchema


class IrlItemSchema(WireSchema):
    """A thing in a case. ``price`` such as $12.34."""

    name = ma.fields.String(required=True)
    image = ItemImage(required=True)
    price = Price(required=True, attribute="price_cents")
    percentage = Percentage(required=True, attribute="chance")


class IrlCaseSchema(WireSchema):
    """A case by itself, its things the rarest first."""

    id = ma.fields.String(required=True)
    name = ma.fields.String(required=True)
    price = Coins(required=True, attribute="price_cents")
    items = ma.fields.Nested(IrlItemSchema, many=True, required=True)


class ListedIrlCaseSchema(IrlCaseSchema):
    """A case of the list."""

    spins = ma.fields.Integer(required=True)
