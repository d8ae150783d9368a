"""Receipts: signed promises that an entry is in the log ten seconds after its time at the latest."""

from models.bets import Bet
from models.db.connection import reading
from services.log import bundles
from services.log.bet_log import BetLog
from services.shared.errors import Refusal

MAX_NONCE = 2**63 - 1


class ReceiptNotFound(Refusal):
    """The player has no bet with this nonce in this database."""

    status = 404
    text = "Receipt not found"


def receipt(entry: bytes, *, bet_log: BetLog) -> str:
    """The receipt of an entry whose bet is committed: a note that the current key signs."""
    origin = bet_log.current().checkpoint.origin
    return bet_log.keys.sign(f"{origin}/receipt\n{entry.decode()}\n", name=origin)


@reading()
def receipt_of_bet(*, user_id: int, nonce: int, bet_log: BetLog) -> str:
    """The receipt of the player's bet with this nonce. Raises ReceiptNotFound."""
    own = (Bet.user == user_id) & (Bet.nonce == nonce)
    bet_id = Bet.select(Bet.id).where(own).scalar() if nonce <= MAX_NONCE else None
    if bet_id is None:
        raise ReceiptNotFound
    (entry,) = bundles.contents([bet_id], bet_log.source)
    return receipt(entry, bet_log=bet_log)
