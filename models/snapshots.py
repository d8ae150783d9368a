"""The content of cases as it was shown and opened, by its hash."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table


class Snapshot(Table):
    """The canonical JSON of a case: its id, its price, and the names, prices and widths of its items.

    The id follows from the content, so that in a restored database an id that a process remembers is never
    that of another snapshot. Only the last two columns of a row ever change. A snapshot that was never opened
    is deleted later.
    """

    # The first 60 bits of the hash, which fit 63.
    id = peewee.BigAutoField()
    # SHA-256 of the content in lowercase hex.
    hash = peewee.CharField(max_length=64, constraints=[Check("length(hash) = 64")])
    content = peewee.TextField()
    shown_at_ms = peewee.BigIntegerField()
    # Set before the first bet refers to the row.
    is_opened = peewee.BooleanField(default=False)

    class Meta:
        table_name = "snapshots"


# The rows to delete, oldest first.
Snapshot.add_index(
    Snapshot.index(Snapshot.shown_at_ms, name="snapshots_not_opened", where=SQL("NOT is_opened"))
)
