"""Lookups of settled bets."""

from collections.abc import Sequence
from typing import Any

from peewee import fn

from models.bets import Bet
from models.case_spins import CASE, IRL
from models.db.connection import reading
from services.shared.errors import BetNotFound

UPGRADER = "upgrader"
GAMES = (UPGRADER, CASE, IRL)
"""All games, by the names that bets are stored with."""

WON = "won"
LOST = "lost"

MAX_NONCE = 2**63 - 1


@reading()
def get(*, user_id: int, nonce: int, game: str) -> Bet:
    """The player's own bet with this nonce, of this game. Raises BetNotFound."""
    own = (Bet.user == user_id) & (Bet.nonce == nonce) & (Bet.game == game)
    bet = Bet.get_or_none(own) if nonce <= MAX_NONCE else None
    if bet is None:
        raise BetNotFound
    return bet


def multiplier_hundredths(bet: Any) -> int:
    """Payout / wager, rounded down to hundredths; 0 for a lost spin and an opening of the free case."""
    return int(bet.payout_cents * 100 // bet.wager_cents) if bet.wager_cents else 0


@reading()
def played(user_id: int) -> int:
    """How many bets the player has made: the newest nonce, since nonces count from 1 without a gap."""
    return Bet.select(fn.MAX(Bet.nonce)).where(Bet.user == user_id).scalar() or 0


@reading()
def with_nonces(*, user_id: int, nonces: Sequence[int]) -> list[Bet]:
    """The player's bets with these nonces, in their order."""
    if not nonces:
        return []
    found = {bet.nonce: bet for bet in Bet.select().where(Bet.user == user_id, Bet.nonce.in_(list(nonces)))}
    return [found[nonce] for nonce in nonces if nonce in found]
