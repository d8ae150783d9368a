"""Schemas of cases."""

import marshmallow as ma

from blueprints.api.pagination import PaginationSchema, page_query
from blueprints.api.parameters import (
    ALL,
    Unvalidated,
    choice,
    least_price,
    most_price,
    search_text,
    text_choice,
)
from blueprints.upgrader.schemas import InventoryItemSchema
from server.schemas import (
    Coins,
    OwnPicture,
    Percentage,
    Price,
    QuerySchema,
    WireSchema,
    count,
    documented,
    flag,
    one_of,
    text,
)
from services.cases.contents import PERCENT
from services.cases.kinds import FREE_CASE_ID, CaseKind, GameType
from services.cases.queries import Sort
from services.items import catalogue
from sockets.schemas import CASE_IMAGE, CASE_SNAPSHOT

KINDS = {ALL: tuple(CaseKind), "true": (CaseKind.LEVEL,), "false": (CaseKind.REGULAR,)}
"""The kinds of cases for each value of the parameter."""

_WHICH = text_choice(
    "all; true: level cases only; false: neither level cases nor the free case", *KINDS, default="false"
)


class CaseItemSchema(InventoryItemSchema):
    """An item of a case."""

    price = Price("The current price, null when there is none", allow_none=True, attribute="price_cents")
    percentage = Percentage("The chance of this item", attribute="chance")


class SingleCaseItemSchema(CaseItemSchema):
    """An item of a single case."""

    wear = ma.fields.Function(
        lambda item: catalogue.parse_name(item.market_hash_name).wear or ma.missing,
        metadata=documented("The wear in the name; left out when it has none", "Field-Tested", type="string"),
    )


class ListedCaseSchema(WireSchema):
    """A case of the whole list. The rarest items come first."""

    id = text("The id of the case", "desert-case")
    name = text("3 to 32 characters", "Desert Case")
    price = Coins("What opening it costs", 2.49, attribute="price_cents")
    image = OwnPicture(CASE_IMAGE, "/media/cases/night-shift.webp")
    creator = text("A platform id; empty for the platform's own cases", "")
    items = ma.fields.Nested(CaseItemSchema, many=True, required=True)


class FreeCaseSchema(ListedCaseSchema):
    """The free case."""

    class Meta(WireSchema.Meta):
        exclude = ("creator",)

    id = text("Always free-case", FREE_CASE_ID)


class CaseSchema(ListedCaseSchema):
    """A case of a page."""

    type = text("The game that all items are of, or mixed", "gamea", validate=one_of(*GameType))
    spins = count("How often it was opened", 17)
    used_balance_type = ma.fields.Function(
        lambda case: case.used_balance_type or ma.missing,
        metadata=documented("The balance it is paid from; only of players' cases", "balance", type="string"),
    )
    required_level = ma.fields.Function(
        lambda case: ma.missing if case.required_level is None else case.required_level,
        metadata=documented("The level that opening it needs; only of level cases", 10, type="integer"),
    )


class SingleCaseSchema(CaseSchema):
    """A single case."""

    items = ma.fields.Nested(SingleCaseItemSchema, many=True, required=True)
    snapshot = CASE_SNAPSHOT


class CasesQuery(QuerySchema):
    type = _WHICH


class CasePageQuery(page_query()):  # type: ignore[misc]
    case_type = _WHICH
    type = text_choice(
        "The one game that all items are of", GameType.GAME_A, GameType.GAME_B, ALL, default=ALL
    )
    search = search_text("Part of the name, in any case", "desert")
    sort = choice(Sort.MOST_RECENT, "Equal prices: newest first, in ascending order oldest first")
    min_price_cents = least_price()
    max_price_cents = most_price()


class CasePageSchema(WireSchema):
    """A page of cases."""

    cases = ma.fields.Nested(CaseSchema, many=True, required=True)
    pagination = ma.fields.Nested(PaginationSchema, required=True)


class NewCaseSchema(WireSchema):
    """A case to create."""

    # The service checks both, in the order that the contract promises.

    name = Unvalidated(
        "string", "A new name, not beginning with level or free", "Desert Case", minLength=3, maxLength=32
    )
    items = Unvalidated(
        "array",
        "The items with their chances, which are 100 percent in all",
        [
            {"marketHashName": "AK-47 | Copper Tide (Field-Tested)", "percentage": 7.992},
            {"marketHashName": "P90 | Grey Dune (Well-Worn)", "percentage": 92.008},
        ],
        minItems=2,
        maxItems=100,
        items={
            "type": "object",
            "required": ["marketHashName", "percentage"],
            "properties": {
                "marketHashName": documented("The full name", "P90 | Grey Dune (Well-Worn)", type="string"),
                "percentage": documented(
                    f"The chance, in percent, exactly as written, in whole parts of 1/{PERCENT}",
                    92.008,
                    type="number",
                    minimum=0,
                    maximum=100,
                ),
            },
        },
    )


class CreatedCaseSchema(WireSchema):
    """The new case."""

    status = flag("Always true")
    id = text("The id of the new case", "desert-case")
