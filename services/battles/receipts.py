"""Receipts of battles: the proof that the lock was in the signed log before anybody knew the beacon."""

from services.battles.queries import ShownBattle
from services.battles.refusals import NoSeat
from services.log import published
from services.log.bet_log import BetLog, ReceiptNotFound


def receipt(battle: ShownBattle, *, user_id: int, bet_log: BetLog) -> str:
    """The proof file of the lock for a player of the battle: see ``published.proof_file``.

    Must not be called within a transaction. Raises NoSeat, ReceiptNotFound unless the lock was in time, and
    Unavailable.
    """
    if battle.seat_of(user_id) is None:
        raise NoSeat
    if not battle.is_lock_in_time:
        raise ReceiptNotFound
    return published.proof_of_entry(battle.lock_entry_id, bet_log=bet_log, is_earliest=True)
