"""Schemas of cases with real-life items."""

import marshmallow as ma

from server.schemas import Coins, ItemImage, OwnPicture, Percentage, Price, WireSchema, count, text
from sockets.schemas import CASE_IMAGE, CASE_SNAPSHOT


class IrlItemSchema(WireSchema):
    """An item of a case."""

    name = text("The name", "Kettle")
    image = ItemImage("The picture")
    price = Price("The value", attribute="price_cents")
    percentage = Percentage("The chance of this item", attribute="ticket_width")


class IrlCaseSchema(WireSchema):
    """A single case. The rarest items come first."""

    id = text("The id of the case", "kitchen", attribute="slug")
    name = text("The name", "Kitchen")
    price = Coins("What opening it costs", 5, attribute="price_cents")
    image = OwnPicture(CASE_IMAGE, "/media/cases/desk-upgrade.webp")
    items = ma.fields.Nested(IrlItemSchema, many=True, required=True)
    snapshot = CASE_SNAPSHOT


class ListedIrlCaseSchema(IrlCaseSchema):
    """A case of the list."""

    class Meta(WireSchema.Meta):
        exclude = ("snapshot",)

    spins = count("How often it was opened", 17)
