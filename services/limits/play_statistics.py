"""Sums of a player's wagers and payouts in a period or in a play session."""

from collections.abc import Sequence
from dataclasses import dataclass

from models.db.connection import reading
from models.limits import PAUSE_MS
from models.users import User
from services.accounts import users
from services.shared.clock import MINUTE_MS, CalendarPeriod, Millis
from services.shared.money import Cents


@dataclass(frozen=True)
class PlayStatistics:
    """Sums in cents. ``net`` is what the player has won, below 0 for a loss."""

    wagered: Cents
    paid: Cents

    @property
    def net(self) -> Cents:
        return Cents(self.paid - self.wagered)


@dataclass(frozen=True)
class PlaySession(PlayStatistics):
    """The running play session of a player: when its first bet was made, its length and its sums."""

    since: Millis
    minutes: int


@reading()
def summary(*, user_id: int, now: Millis) -> dict[str, PlayStatistics]:
    """The player's sums of the current ``day``, ``week`` and ``month`` in UTC, and the ``total`` of all bets.

    A bet that was just settled is included. Raises UserNotFound.
    """
    user = users.get_by_id(user_id)
    periods = {period.value: _of_period(user, period, now=now) for period in CalendarPeriod}
    return periods | {"total": PlayStatistics(Cents(user.wagered_cents), Cents(user.earned_cents))}


def _of_period(user: User, period: CalendarPeriod, *, now: Millis) -> PlayStatistics:
    if getattr(user, f"{period}_starts_at_ms") < period.start(now):
        return PlayStatistics(Cents(0), Cents(0))
    return PlayStatistics(
        Cents(getattr(user, f"{period}_wagered_cents")), Cents(getattr(user, f"{period}_paid_cents"))
    )


@reading()
def running_play_sessions(
    user_ids: Sequence[int], *, longer_than: Millis, now: Millis
) -> dict[int, PlaySession]:
    """The play sessions of these players that have lasted so long and are not over, by player."""
    columns = (User.id, User.play_began_at_ms, User.play_wagered_cents, User.play_paid_cents)
    rows = User.select(*columns).where(
        User.id.in_(user_ids),
        User.last_bet_at_ms > now - PAUSE_MS,
        User.play_began_at_ms <= now - longer_than,
    )
    return {
        user.id: PlaySession(
            wagered=Cents(user.play_wagered_cents),
            paid=Cents(user.play_paid_cents),
            since=Millis(user.play_began_at_ms),
            minutes=(now - user.play_began_at_ms) // MINUTE_MS,
        )
        for user in rows
    }
