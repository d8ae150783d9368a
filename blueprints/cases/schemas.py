"""The shapes of cases, as the document has them; blueprints/cases/views.py writes them."""

import marshmallow as ma

from blueprints.common.pagination import PaginationSchema, page_query
from blueprints.common.schemas import Coins, Judged, Price, QuerySchema, Text, WireSchema, one_of
from services.cases.chances import PERCENT
from services.cases.kinds import GameType, Kind
from services.cases.reading import Sort

DEFAULT_LIMIT = 10
ALL = "all"

KINDS = {ALL: tuple(Kind), "true": (Kind.LEVEL,), "false": (Kind.REGULAR,)}
"""What the parameter for it stands for."""

_WHICH = {"description": "all; true: level cases only; false: neither level cases nor the free case"}


class CaseItemSchema(WireSchema):
    """An item of a case. ``price`` such as $12.34, or null; ``nextPriceFetch`` in ms."""

    app_id = ma.fields.Integer(required=True, data_key="appid")
    market_hash_name = ma.fields.String(required=True)
    gun_name = ma.fields.String(required=True)
    skin_name = ma.fields.String(required=True)
    image = ma.fields.String(required=True)
    price = Price(required=True, metadata={"type": ["string", "null"]})
    next_price_fetch = ma.fields.Integer(required=True)
    percentage = ma.fields.Float(required=True)


class SingleCaseItemSchema(CaseItemSchema):
    """An item of a case by itself."""

    wear = ma.fields.String(metadata={"description": "Left out when the name tells of none"})


class FreeCaseSchema(WireSchema):
    """The free case. Its items, as in every case, the rarest first."""

    id = ma.fields.String(required=True)
    name = ma.fields.String(required=True)
    price = Coins(required=True, metadata={"type": "number"})
    items = ma.fields.List(ma.fields.Nested(CaseItemSchema), required=True)


class ListedCaseSchema(FreeCaseSchema):
    """A case of the whole list."""

    creator = ma.fields.String(
        required=True, metadata={"description": "A platform id; empty for the platform's own cases"}
    )


class CaseSchema(ListedCaseSchema):
    """A case of a page."""

    type = ma.fields.String(required=True, validate=one_of(*GameType))
    spins = ma.fields.Integer(required=True)
    used_balance_type = ma.fields.String(metadata={"description": "Of players' cases"})


class SingleCaseSchema(CaseSchema):
    """A case by itself."""

    items = ma.fields.List(ma.fields.Nested(SingleCaseItemSchema), required=True)


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
    sort = ma.fields.String(load_default=Sort.MOST_RECENT, validate=one_of(*Sort))


class CasePageSchema(WireSchema):
    cases = ma.fields.List(ma.fields.Nested(CaseSchema), required=True)
    pagination = ma.fields.Nested(PaginationSchema, required=True)


class NewCaseSchema(WireSchema):
    """A case to make. What is wrong with either is told in the order of the rules."""

    name = Judged(metadata={"type": "string", "minLength": 3, "maxLength": 32})
    items = Judged(
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
