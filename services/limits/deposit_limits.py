"""A player's deposit limits, which a new deposit is compared with."""

from collections.abc import Mapping

from models.users import User
from services.limits.errors import LimitReached
from services.limits.limits import Limit
from services.shared.clock import CalendarPeriod, Millis
from services.shared.money import Cents

KIND = "deposit"


def check(user: User, *, amount: Cents, now: Millis, sums: Mapping[CalendarPeriod, Cents]) -> None:
    """Check that a deposit exceeds none of the player's deposit limits. It may reach them.

    ``sums`` has the player's other deposits of each current period. Raises LimitReached for the first of day,
    week and month that would be exceeded. Concurrent deposits need the row of ``user`` to be locked before
    the sums are read.
    """
    for period in CalendarPeriod:
        limit = Limit(KIND, period).of(user)
        if limit is not None and sums[period] + amount > limit:
            raise LimitReached(limit=KIND, period=period, resets_at=period.end(now))
