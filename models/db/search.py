"""Searches that both databases answer alike."""

import peewee
from peewee import fn

from models.db.connection import database
from models.db.sqlite import Sqlite


def contains(field: peewee.Field, text: str) -> peewee.Expression:
    """Whether a column contains this text; no character is a wildcard."""
    # LIKE has wildcards, and in SQLite ignores the case of ASCII letters only.
    locate = fn.INSTR if isinstance(database.obj, Sqlite) else fn.STRPOS
    return locate(field, text) > 0


def begins_with(field: peewee.Field, text: str) -> peewee.Expression:
    """Whether a column begins with this text. Uses the index of a ``BytewiseField``."""
    # The last character of all. LIKE would use that index on one database only.
    return field.between(text, text + "\U0010ffff")
