"""What a player has wagered and been paid in a period or in a play session."""

from collections.abc import Sequence

from models.db.connection import reading
from models.play_limits import PAUSE_MS
from models.users import User
from services.accounts import users
from services.shared.clock import MINUTE_MS, CalendarPeriod, Millis

Sums = dict[str, int]
"""``wagered``, ``paid`` and ``net`` in cents. ``net`` is what the player has won, below 0 for a loss."""


@reading()
def summary(*, user_id: int, now: Millis) -> dict[str, Sums]:
    """The player's sums of the current ``day``, ``week`` and ``month`` in UTC, and the ``total`` of all bets.

    A bet that was just settled is included. Raises UserNotFound.
    """
    user = users.get_by_id(user_id)
    periods = {period.value: _of_period(user, period, now=now) for period in CalendarPeriod}
    return periods | {"total": _sums(user.wagered_cents, user.earned_cents)}


def _of_period(user: User, period: CalendarPeriod, *, now: Millis) -> Sums:
    if getattr(user, f"{period}_starts_at_ms") < period.start(now):
        return _sums(0, 0)
    return _sums(getattr(user, f"{period}_wagered_cents"), getattr(user, f"{period}_paid_cents"))


def _sums(wagered: int, paid: int) -> Sums:
    return {"wagered": wagered, "paid": paid, "net": paid - wagered}


@reading()
def running_sessions(user_ids: Sequence[int], *, longer_than: Millis, now: Millis) -> dict[int, Sums]:
    """The play sessions of these players that have lasted so long and are not over, by player, in one query.

    Besides its sums each has ``since``, the time of its first bet in ms, and its length in ``minutes``.
    """
    columns = (User.id, User.play_began_at_ms, User.play_wagered_cents, User.play_paid_cents)
    rows = User.select(*columns).where(
        User.id.in_(user_ids),
        User.last_bet_at_ms > now - PAUSE_MS,
        User.play_began_at_ms <= now - longer_than,
    )
    return {
        user.id: _sums(user.play_wagered_cents, user.play_paid_cents)
        | {"since": user.play_began_at_ms, "minutes": (now - user.play_began_at_ms) // MINUTE_MS}
        for user in rows
    }
