"""Schemas of cases with real-life items."""

import marshmallow as ma

from blueprints.api.media_urls import ItemImage
from blueprints.api.schemas import Coins, Percentage, Price, WireSchema


class IrlItemSchema(WireSchema):
    """An item of a case. ``price`` such as $12.34."""

    name = ma.fields.String(required=True)
    image = ItemImage(required=True)
    price = Price(required=True, attribute="price_cents")
    percentage = Percentage(required=True, attribute="chance")


class IrlCaseSchema(WireSchema):
    """A single case. The rarest items come first."""

    id = ma.fields.String(required=True)
    name = ma.fields.String(required=True)
    price = Coins(required=True, attribute="price_cents")
    items = ma.fields.Nested(IrlItemSchema, many=True, required=True)


class ListedIrlCaseSchema(IrlCaseSchema):
    """A case of the list."""

    spins = ma.fields.Integer(required=True)
