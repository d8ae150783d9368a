"""Lookups of settled bets."""

from collections.abc import Callable, Sequence
from typing import Any

from peewee import JOIN, fn

from models.bets import Bet
from models.case_spins import CASE, IRL
from models.db.connection import reading
from models.snapshots import Snapshot
from models.users import User
from services.games import snapshots
from services.games.proofs import Proofs
from services.games.snapshots import Content
from services.shared.clock import Millis
from services.shared.errors import PlatformError

UPGRADER = "upgrader"
GAMES = (UPGRADER, CASE, IRL)
"""All games, by the names that bets are stored with."""

WON = "won"
LOST = "lost"

MAX_NONCE = 2**63 - 1


class BetNotFound(PlatformError):
    status = 404
    text = "Bet not found"


@reading()
def get(*, user_id: int, nonce: int, game: str) -> Bet:
    """The player's own bet with this nonce, of this game. Raises BetNotFound."""
    own = (Bet.user == user_id) & (Bet.nonce == nonce) & (Bet.game == game)
    bet = Bet.get_or_none(own) if nonce <= MAX_NONCE else None
    if bet is None:
        raise BetNotFound
    return bet


def get_public(*, bet_id: int, proofs: Proofs, clock: Callable[[], Millis]) -> tuple[Bet, Content | None]:
    """Any player's bet, with its player and its revealed seed; for an opening, also the content of the case.

    Raises BetNotFound, also while its proof is not due.
    """
    with reading():
        bet: Any = (
            Bet.select(Bet, User.username, Snapshot.hash, Snapshot.content)
            .join(User)
            .switch(Bet)
            .join(Snapshot, JOIN.LEFT_OUTER)
            .where(Bet.id == bet_id)
            .first()
        )
    if bet is None:
        raise BetNotFound
    # Not saved: the delivery of proofs writes revealed seeds to the database.
    bet.server_seed = proofs.visible_server_seed(bet, now=clock())
    if not bet.server_seed:
        raise BetNotFound
    return bet, snapshots.parse(bet.snapshot.content) if bet.snapshot else None


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
