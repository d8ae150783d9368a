"""Schemas of prizes."""

import marshmallow as ma

from blueprints.api.pagination import HAS_MORE, SUCCESS, PlaceSchema, page_query
from blueprints.api.parameters import one_of
from blueprints.api.schemas import Coins, ItemImage, WireSchema, count, documented, epoch_ms, flag, text
from services.prizes.reading import ALL, Status


class PrizesQuery(page_query(10)):  # type: ignore[misc]  # a class made by a function
    status = ma.fields.String(
        load_default=ALL,
        validate=one_of(ALL, *Status),
        metadata=documented("Prizes with one status only", ALL),
    )


class PrizeSchema(WireSchema):
    """A prize, with the name, picture and value that the item had when it was won."""

    id = text("The id of the prize", "17")
    name = text("The name", "Kettle")
    image = ItemImage("The picture")
    value = Coins("What a sale pays", 24.9, attribute="value_cents")
    status = text("kept, sold, shipping (to be shipped) or shipped", "kept")
    won_at = epoch_ms("When it was won", attribute="won_at_ms")


class PrizeListSchema(PlaceSchema):
    """A page of the caller's prizes."""

    prizes = ma.fields.Nested(PrizeSchema, many=True, required=True)
    total = count("Prizes in the list", 42)


class PrizesSchema(WireSchema):
    """A page of the caller's prizes, and whether another follows."""

    success = SUCCESS
    data = ma.fields.Nested(PrizeListSchema, required=True)
    has_more = HAS_MORE


class SaleSchema(WireSchema):
    """The prize was sold."""

    success = flag("Always true")
    amount = Coins("What was added to the balance", 24.9)
