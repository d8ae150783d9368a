"""The processes that serve, and the leases of what only one of them does at a time."""

from typing import Any

import peewee
from peewee import Check, fn

from models.db.connection import Table, database, reading

LIVE_MS = 6_000
"""A process that has not renewed its row for this time is dead."""


class Process(Table):
    """A process, which renews its row every two seconds and removes it when it stops.

    Others remove it after a minute. A process that was paused for longer gets a new id.
    """

    id = peewee.AutoField()
    # Host name and port.
    address = peewee.CharField(max_length=300)
    # How many connections to the database it may open.
    pool_size = peewee.IntegerField(constraints=[Check("pool_size > 0")])
    sockets = peewee.IntegerField(default=0, constraints=[Check("sockets >= 0")])
    # How late its last round began.
    lag_ms = peewee.IntegerField(default=0, constraints=[Check("lag_ms >= 0")])
    # Whether its signals arrive: "ok", "away", or "none" without REDIS_URL.
    redis = peewee.CharField(max_length=4)
    # By the database's clock.
    seen_at_ms = peewee.BigIntegerField()
    # A digest of the settings that all processes must share.
    settings = peewee.CharField(max_length=16, default="")
    # Whether requests with forwarding headers have arrived although TRUSTED_PROXIES is 0.
    untrusted_proxies = peewee.BooleanField(default=False)

    class Meta:
        table_name = "processes"


def live_processes() -> Any:
    """A query for the processes that are not dead."""
    return Process.select().where(Process.seen_at_ms > database.now_ms - LIVE_MS)


@reading()
def live_sockets() -> int:
    """The open sockets of all live processes, as of two seconds ago."""
    rows: Any = live_processes().select(fn.COALESCE(fn.SUM(Process.sockets), 0))
    return int(rows.scalar())


class Lease(Table):
    """The right to do something. A new database has all rows. Times are by the database's clock."""

    name = peewee.CharField(max_length=16, primary_key=True)
    # Grows each time the lease changes hands: a holder's writes check it, so those of a former one fail.
    epoch = peewee.BigIntegerField(default=0)
    # Until then only the holder may renew it. 0 once the holder has given it back.
    until_ms = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "leases"
