"""The content of cases as it was opened, by its hash."""

import peewee
from peewee import Check

from models.db.connection import Table


class Snapshot(Table):
    """The canonical JSON of a case: its id, its price, and the names, prices and widths of its items.

    A row is stored with the first bet that refers to it, and never changes. The id follows from the content,
    so that in a restored database the id of a content is never that of another one.
    """

    # The first 60 bits of the hash, which fit 63.
    id = peewee.BigAutoField()
    # SHA-256 of the content in lowercase hex.
    hash = peewee.CharField(max_length=64, constraints=[Check("length(hash) = 64")])
    content = peewee.TextField()

    class Meta:
        table_name = "snapshots"
