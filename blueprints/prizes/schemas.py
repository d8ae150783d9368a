"""Schemas of prizes."""

from blueprints.api.pagination import list_schema, page_query, rows, total
from blueprints.api.parameters import text_choice
from server.schemas import Coins, ItemImage, SuccessSchema, WireSchema, epoch_ms, one_of, text
from services.wallet.prizes import ALL, Status


class PrizesQuery(page_query()):  # type: ignore[misc]
    status = text_choice("Prizes with one status only", ALL, *Status, default=ALL)


class PrizeSchema(WireSchema):
    """A prize, with the name, picture and value that the item had when it was won."""

    id = text("The id of the prize", "17")
    name = text("The name", "Kettle")
    image = ItemImage("The picture")
    value = Coins("What a sale pays", 24.9, attribute="value_cents")
    status = text("shipping means that it is to be shipped", "kept", validate=one_of(*Status))
    won_at = epoch_ms("When it was won", attribute="won_at_ms")


PrizesSchema = list_schema(
    "Prizes", "PrizeList", "A page of the caller's prizes", prizes=rows(PrizeSchema), total=total("Prizes")
)


class SaleSchema(SuccessSchema):
    """The prize was sold."""

    amount = Coins("What was added to the balance", 24.9)
