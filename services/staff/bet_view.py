"""One bet of a player, with all that explains and verifies it."""

from dataclasses import dataclass
from typing import Any

from models.bets import Bet
from models.db.connection import reading
from models.users import User
from services.bets import lookups, snapshots
from services.bets.lookups import MAX_NONCE, BetNotFound
from services.bets.proofs import Proofs
from services.bets.snapshots import Content
from services.shared.clock import Millis


@dataclass(frozen=True)
class BetView:
    """``bet`` has its ``log``, and its ``server_seed`` once the proof is due; else both are empty."""

    bet: Any
    content: Content | None
    """Of the case that was opened."""

    @property
    def is_revealed(self) -> bool:
        return bool(self.bet.server_seed)


def of_player(*, user_id: int, nonce: int, proofs: Proofs, now: Millis) -> BetView:
    """The player's bet with this nonce, of any game. Raises BetNotFound."""
    with reading():
        bet: Any = Bet.get_or_none(Bet.user == user_id, Bet.nonce == nonce) if nonce <= MAX_NONCE else None
        if bet is None:
            raise BetNotFound
        content = None if bet.snapshot_id is None else snapshots.parse(bet.snapshot.content)
    try:
        return BetView(lookups.get_public(bet_id=bet.id, proofs=proofs, now=now), content)
    except BetNotFound:
        bet.server_seed, bet.log = "", None
        return BetView(bet, content)


@reading()
def player_and_nonce(bet_id: int) -> tuple[str, int] | None:
    """Where a bet is found: the platform id of its player, and its nonce. None if there is no such bet."""
    query: Any = Bet.select(User.platform_id, Bet.nonce).join(User).where(Bet.id == bet_id)
    found: tuple[str, int] | None = query.tuples().first()
    return found
