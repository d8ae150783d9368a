"""Exports: files with everything that is known of a player, in the database, so that any process has them."""

import peewee
from peewee import Check

from models.db.connection import Table
from models.users import User


class Export(Table):
    """The export of a player, from the request for it until a day after it was made."""

    # Random hexadecimal digits.
    id = peewee.CharField(max_length=32, primary_key=True)
    # Of two requests at once, one makes the row.
    user = peewee.ForeignKeyField(User, unique=True, on_delete="CASCADE")
    user_id: int
    requested_at_ms = peewee.BigIntegerField()
    # When a process makes it, later after a failure; null once it is made.
    due_at_ms = peewee.BigIntegerField(null=True)
    made_at_ms = peewee.BigIntegerField(null=True)
    # The lengths of the file, as it is stored and unpacked.
    packed_bytes = peewee.BigIntegerField(default=0, constraints=[Check("packed_bytes >= 0")])
    bytes = peewee.BigIntegerField(default=0, constraints=[Check("bytes >= 0")])

    class Meta:
        table_name = "exports"
        constraints = [Check("(made_at_ms IS NULL) = (due_at_ms IS NOT NULL)", "exports_made")]


class ExportSlice(Table):
    """A part of the file. Together, in their order, they are one gzip stream."""

    export = peewee.ForeignKeyField(Export, on_delete="CASCADE", index=False)
    number = peewee.IntegerField(constraints=[Check("number >= 0")])
    content = peewee.BlobField()

    class Meta:
        table_name = "export_slices"
        primary_key = peewee.CompositeKey("export", "number")
