"""Schemas of cases."""

import marshmallow as ma

from blueprints.api.pagination import PaginationSchema, page_query
from blueprints.api.schemas import (
    Coins,
    Percentage,
    Price,
    QuerySchema,
    Text,
    Unvalidated,
    WireSchema,
    choice,
    one_of,
)
from blueprints.upgrader.schemas import InventoryItemSchema
from services.cases.chances import PERCENT
from services.cases.kinds import GameType, Kind
from services.cases.reading import Sort
from services.items import names

DEFAULT_LIMIT = 10
ALL = "all"

KINDS = {ALL: tuple(Kind), "true": (Kind.LEVEL,), "false": (Kind.REGULAR,)}
"""The kinds of cases for each value of the parameter."""

_WHICH = {"description": "all; true: level cases only; false: neither level cases nor the free case"}


class CaseItemSchema(InventoryItemSchema):
    """An item of a case. ``price`` may be null."""

    price = Price(required=True, allow_none=True, attribute="price_cents")
    percentage = Percentage(required=True, attribute="chance")


class SingleCaseItemSchema(CaseItemSchema):
    """An item of a single case."""

    wear = ma.fields.Function(
        lambda item: names.parse(item.market_hash_name).wear or ma.missing,
        metadata={"type": "string", "description": "Left out when the name has none"},
    )


class ListedCaseSchema(WireSchema):
    """A case of the whole list. The rarest items come first."""

    id = ma.fields.String(required=True)
    name = ma.fields.String(required=True)
    price = Coins(required=True, attribute="price_cents")
    creator = ma.fields.String(
        required=True, metadata={"description": "A platform id; empty for the platform's own cases"}
    )
    items = ma.fields.Nested(CaseItemSchema, many=True, required=True)


class FreeCaseSchema(ListedCaseSchema):
    """The free case."""

    class Meta(WireSchema.Meta):
        exclude = ("creator",)


class CaseSchema(ListedCaseSchema):
    """A case of a page."""

    type = ma.fields.String(required=True, validate=one_of(*GameType))
    spins = ma.fields.Integer(required=True)
    used_balance_type = ma.fields.Function(
        lambda case: case.used_balance_type or ma.missing,
        metadata={"type": "string", "description": "Only of players' cases"},
    )


class SingleCaseSchema(CaseSchema):
    """A single case."""

    items = ma.fields.Nested(SingleCaseItemSchema, many=True, required=True)


class CasesQuery(QuerySchema):
    type = ma.fields.String(load_default="false", validate=one_of(*KINDS), metadata=_WHICH)


class CasePageQuery(page_query(DEFAULT_LIMIT)):  # type: ignore[misc]
    case_type = ma.fields.String(load_default="false", validate=one_of(*KINDS), metadata=_WHICH)
    type = ma.fields.String(
        load_default=ALL,
        validate=one_of(GameType.GAME_A, GameType.GAME_B, ALL),
        metadata={"description": "The one game that all items are of"},
    )
    search = Text(load_default="", metadata={"description": "Part of the name, in any case"})
    sort = choice(Sort.MOST_RECENT, "Equal prices: newest first, in ascending order oldest first")


class CasePageSchema(WireSchema):
    cases = ma.fields.Nested(CaseSchema, many=True, required=True)
    pagination = ma.fields.Nested(PaginationSchema, required=True)


class NewCaseSchema(WireSchema):
    """A case to create. The service checks both keys, in the order of SPEC 4.1."""

    name = Unvalidated(metadata={"type": "string", "minLength": 3, "maxLength": 32})
    items = Unvalidated(
        metadata={
            "type": "array",
            "minItems": 2,
            "maxItems": 100,
            "items": {
                "type": "object",
                "required": ["marketHashName", "percentage"],
                "properties": {
                    "marketHashName": {"type": "string"},
                    "percentage": {
                        "type": "number",
                        "minimum": 0,
                        "maximum": 100,
                        "description": f"Exactly as written, in whole parts of 1/{PERCENT}; 100 in all",
                    },
                },
            },
        },
    )


class CreatedCaseSchema(WireSchema):
    status = ma.fields.Boolean(required=True)
    id = ma.fields.String(required=True)
