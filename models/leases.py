"""Leases: the right to do what only one process does at a time."""

import peewee

from models.db.connection import Table


class Lease(Table):
    """One right. A new database has all rows. Times are by the database's clock."""

    name = peewee.CharField(max_length=16, primary_key=True)
    # Grows each time the lease changes hands: a holder's writes check it, so those of a former one fail.
    epoch = peewee.BigIntegerField(default=0)
    # Until then only the holder may renew it. 0 once the holder has given it back.
    until_ms = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "leases"
