"""The refusals of bets and deposits by breaks and by a player's own limits."""

from datetime import UTC, datetime

from services.shared.clock import CalendarPeriod, Millis
from services.shared.errors import Refusal


class TakingABreak(Refusal):
    """The player has asked for a break, which is not over."""

    status = 403
    text = "You are taking a break"

    def __init__(self, *, until: Millis) -> None:
        end = datetime.fromtimestamp(until / 1000, UTC)
        super().__init__(f"{type(self).text} until {end:%Y-%m-%dT%H:%M:%SZ}")


class ExcludedPermanently(Refusal):
    """The player has excluded themselves for ever."""

    status = 403
    text = "You have excluded yourself permanently"


class LimitReached(Refusal):
    """With this bet or deposit the player's own limit could be exceeded.

    ``limit`` is ``wager``, ``loss`` or ``deposit``. The period's sums begin anew at ``resets_at``.
    """

    text = "Your limit is reached"

    def __init__(self, *, limit: str, period: CalendarPeriod, resets_at: Millis) -> None:
        super().__init__()
        self.limit = limit
        self.period = period
        self.resets_at = resets_at

    @property
    def details(self) -> dict[str, object]:
        return {"limit": self.limit, "period": self.period, "resetsAt": self.resets_at}
