"""One bet of any player with all that its page and its picture show."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from models.db.connection import reading
from services.bets import live_bets, lookups, rolls
from services.bets.proofs import Proofs
from services.bets.snapshots import Content
from services.bets.terms import WON
from services.shared.clock import Millis


class Range(NamedTuple):
    """The range of an item among all rolls or tickets, in percent."""

    start: float
    chance: float
    """Its length."""
    place: float
    """Of the roll or the ticket."""


@dataclass(frozen=True)
class SharedBet:
    """``bet`` has its player, its revealed seed, its ``battle`` and its ``log``.

    ``shown`` is its row of the live bets.
    """

    bet: Any
    shown: Any
    content: Content | None
    """Of the case that was opened."""

    @property
    def is_won(self) -> bool:
        """Whether a spin won, or an opening or a battle paid more than it cost."""
        return bool(self.bet.status == WON)

    @property
    def range(self) -> Range | None:
        """Where the item and the roll or the ticket are; None for a battle, which has many tickets."""
        if self.bet.battle:
            return None
        return Range(self._range_start, self._chance, self._place)

    @property
    def _chance(self) -> float:
        if self.content is None:
            return rolls.percent(self.bet.threshold)
        return rolls.ticket_percent(self.content.winner(self.bet.ticket).width)

    @property
    def _place(self) -> float:
        return rolls.ticket_percent(self.bet.ticket) if self.content else rolls.percent(self.bet.roll)

    @property
    def _range_start(self) -> float:
        if self.content is None:
            return 0.0
        before = self.content.items[: self.content.winning_place(self.bet.ticket)]
        return rolls.ticket_percent(sum(item.width for item in before))


def get(*, bet_id: int, proofs: Proofs, now: Millis) -> SharedBet:
    """Any player's bet. Raises BetNotFound, and BetNotRevealed while its proof is not due."""
    bet = lookups.get_public(bet_id=bet_id, proofs=proofs, now=now)
    with reading():
        (shown,) = live_bets.shown([bet_id])
    return SharedBet(bet, shown, bet.content)
