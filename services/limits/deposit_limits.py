"""A player's deposit limits, which a new deposit is compared with."""

from collections.abc import Callable

from models.users import User
from services.limits.limits import Limit, LimitReached
from services.shared.clock import CalendarPeriod, Millis
from services.shared.money import Cents

KIND = "deposit"


def check(user: User, *, amount: Cents, now: Millis, sum_since: Callable[[Millis], Cents]) -> None:
    """Check that a deposit exceeds none of the player's deposit limits. It may reach them.

    ``sum_since`` gives the player's other deposits since a time; it is called for the limits that are set.
    Raises LimitReached for the first of day, week and month that would be exceeded. Concurrent deposits need
    the row of ``user`` to be locked before this.
    """
    for period in CalendarPeriod:
        limit = Limit(KIND, period).of(user)
        if limit is not None and sum_since(period.start(now)) + amount > limit:
            raise LimitReached(limit=KIND, period=period, resets_at=period.end(now))
