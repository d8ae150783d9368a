"""The shapes of cases of real-life things."""

import marshmallow as ma

from blueprints.common.media import item_image_url
from blueprints.common.schemas import Coins, Price, WireSchema
from services.cases.chances import percent_from_attos


class IrlItemSchema(WireSchema):
    """A thing in a case. ``price`` such as $12.34."""

    name = ma.fields.String(required=True)
    image = ma.fields.Function(lambda thing: item_image_url(thing.image), metadata={"type": "string"})
    price = Price(required=True, attribute="price_cents", metadata={"type": "string"})
    percentage = ma.fields.Function(
        lambda thing: percent_from_attos(thing.chance), metadata={"type": "number"}
    )


class IrlCaseSchema(WireSchema):
    """A case by itself, its things the rarest first."""

    id = ma.fields.String(required=True)
    name = ma.fields.String(required=True)
    price = Coins(required=True, attribute="price_cents", metadata={"type": "number"})
    items = ma.fields.List(ma.fields.Nested(IrlItemSchema), required=True)


class ListedIrlCaseSchema(IrlCaseSchema):
    """A case of the list."""

    spins = ma.fields.Integer(required=True)
