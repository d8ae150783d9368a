"""The schema of an export, made from its parts (services/exports/parts.py)."""

from typing import Any

import marshmallow as ma
import peewee

from server.schemas import SuccessSchema, WireSchema, documented, epoch_ms, text
from services.exports.document import ABOUT
from services.exports.parts import PARTS, Part
from services.exports.rows import JSON_TEXTS, TOO_LARGE

NUMBERS = (peewee.IntegerField, peewee.BigIntegerField, peewee.AutoField)

UNITS = {
    "_ms": "Unix time in milliseconds",
    "_ucents": "in millionths of a cent",
    "_cents": "in cents",
    "_ppm": "in millionths",
}


class ExportRequestSchema(SuccessSchema):
    """The export, which is made now or was made in the last day."""

    id = text("For `/profile/export/:id`", "8f14e45fceea167a5a36dedd4bea2543")


class ExportedPlayerSchema(WireSchema):
    """The names under which others know the player."""

    platformid = text("The player's id", "76561198000000001")
    pseudonym = text("The player's name in the public log", "3d23e04e7564abd8bf89f685c2f350e2")


class LeftOutSchema(WireSchema):
    """What the file does not have."""

    what = text("A table, or a part and its column", "deposits.secret")
    why = text("The reason", "A secret")


def _description(name: str) -> str:
    """The words of a column's name, and its unit."""
    unit = next((unit for end, unit in UNITS.items() if name.endswith(end)), "")
    ending = next((end for end in UNITS if name.endswith(end)), "")
    words = name.removesuffix(ending).replace("_", " ").capitalize()
    return f"{words}; {unit}" if unit else words


def _field(name: str, column: Any, *, may_be_null: bool) -> ma.fields.Field[Any]:
    options: dict[str, Any] = {"required": True, "allow_none": may_be_null}
    if name == "address" and "encrypted" in column.name:
        described = documented("Where it was shipped", {"city": "Springfield"})
        return ma.fields.Dict(**options, metadata=described)
    if any(column is each for each in JSON_TEXTS) or name in ("before", "after"):
        return ma.fields.Dict(**options, metadata=documented(_description(name), {}))
    if isinstance(column, peewee.ForeignKeyField):
        column = column.rel_field
    if isinstance(column, peewee.BooleanField):
        return ma.fields.Boolean(**options, metadata=documented(_description(name), True))
    if isinstance(column, NUMBERS) and not any(column is each for each in TOO_LARGE):
        form = {"format": "int64"} if name.endswith("_ms") else {}
        return ma.fields.Integer(**options, metadata=documented(_description(name), 1, **form))
    return ma.fields.String(**options, metadata=documented(_description(name), "text"))


def _schema(part: Part) -> type[WireSchema]:
    """The schema of a part's rows."""
    # A row may have none of another table.
    optional = [column for key, columns in part.joined.items() if key.null for column in columns]
    columns = {
        name: _field(name, column, may_be_null=column.null or any(column is each for each in optional))
        for name, column in part.columns.items()
    }
    name = f"Exported{part.name[0].upper()}{part.name[1:]}Schema"
    about = f"{part.about.partition('. ')[0].partition(': ')[0]}: a row."
    return type(name, (WireSchema,), columns | {"__doc__": about})


ExportSchema = type(
    "ExportSchema",
    (WireSchema,),
    {
        "__doc__": "Everything that is known of a player.",
        "about": text("How to read it", ABOUT),
        "started_at_ms": epoch_ms("When the reading began"),
        "player": ma.fields.Nested(ExportedPlayerSchema, required=True),
        "left_out": ma.fields.Nested(LeftOutSchema, many=True, required=True),
        **{
            part.name: ma.fields.Nested(
                _schema(part),
                many=True,
                required=True,
                data_key=part.name,
                metadata={"description": part.about},
            )
            for part in PARTS
        },
        "ended_at_ms": epoch_ms("When the reading ended"),
    },
)
"""The file."""
