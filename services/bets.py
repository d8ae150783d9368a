"""Settled bets, as their player may look them up."""

from models.bets import Bet
from models.database import reading
from services.errors import BetNotFound

MAX_NONCE = 2**63 - 1


@reading()
def get(*, user_id: int, nonce: int) -> Bet:
    """The player's own bet with this nonce. Raises BetNotFound."""
    bet = Bet.get_or_none(Bet.user == user_id, Bet.nonce == nonce) if nonce <= MAX_NONCE else None
    if bet is None:
        raise BetNotFound
    return bet


def multiplier_hundredths(bet: Bet) -> int:
    """Payout / wager, rounded down to hundredths; 0 for a lost bet."""
    return int(bet.payout_cents * 100 // bet.wager_cents)
