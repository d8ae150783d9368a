"""Schemas of what anybody may look up to verify a bet."""

import marshmallow as ma

from blueprints.api.schemas import WireSchema, text

CENTS = "in cents, as decimal text"


class SnapshotItemSchema(WireSchema):
    """An item of a snapshot."""

    name = text("The name", "P90 | Grey Dune (Well-Worn)")
    price = text(f"What it pays, {CENTS}", "12")
    width = text("How many of the 10^18 tickets win it: its percentage times 10^16", "918080000000000000")


class SnapshotSchema(WireSchema):
    """What can be won from a case, rarest item first. UTF-8, keys sorted, no blanks between tokens."""

    id = text("The id of the case", "desert-case")
    items = ma.fields.Nested(SnapshotItemSchema, many=True, required=True)
    price = text(f"What opening it costs, {CENTS}", "211")
