"""Requests to raise or remove a limit, which the player confirms later."""

import peewee
from peewee import Check

from models.db.connection import Table
from models.users import User

DAY_MS = 24 * 3600 * 1000
CONFIRMABLE_AFTER_MS = DAY_MS
EXPIRES_AFTER_MS = 7 * DAY_MS


class LimitRequest(Table):
    """A request to raise one of a player's limits, or to remove it.

    There is one for each limit: a new one replaces it, and a lower limit deletes it. An expired one stays
    until then. The limits themselves are columns of ``users``.
    """

    # Random hexadecimal digits. Unlike a number it is never used again, so an old page can't confirm the
    # request that has replaced the one it shows.
    id = peewee.CharField(max_length=32, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    kind = peewee.CharField(max_length=7, constraints=[Check("kind IN ('wager', 'loss', 'deposit')")])
    period = peewee.CharField(max_length=5, constraints=[Check("period IN ('day', 'week', 'month')")])
    # Null to remove the limit.
    value_cents = peewee.BigIntegerField(null=True, constraints=[Check("value_cents >= 0")])
    requested_at_ms = peewee.BigIntegerField()

    @property
    def confirmable_at_ms(self) -> int:
        """From when the request can be confirmed."""
        return int(self.requested_at_ms) + CONFIRMABLE_AFTER_MS

    @property
    def expires_at_ms(self) -> int:
        """From when it can't be confirmed any more."""
        return int(self.requested_at_ms) + EXPIRES_AFTER_MS

    class Meta:
        table_name = "limit_requests"
        # Two concurrent requests for one limit leave one row.
        indexes = ((("user", "kind", "period"), True),)
