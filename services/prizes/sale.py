"""Selling a prize: its value goes to the player's balance."""

from models.db.connection import writing
from models.prizes import Prize
from models.users import User
from services.accounts import users
from services.audit_trail.events import What
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, Kind, Move
from services.prizes import reading
from services.prizes.reading import PrizeNotAvailable, Status
from services.shared.clock import Millis
from services.shared.money import Cents


def sell(*, user_id: int, prize_id: int, now: Millis) -> tuple[Cents, User]:
    """Sell the player's prize for its value; returns the value and the player after the sale.

    A prize without a value can be sold as well; nothing is posted then. Of concurrent sales and requests for
    shipping one succeeds. Raises PrizeNotFound, PrizeNotAvailable.
    """
    prize = reading.get(user_id=user_id, prize_id=prize_id)
    amount = Cents(prize.value_cents)
    with writing():
        is_kept = (Prize.id == prize_id) & (Prize.status == Status.KEPT)
        if not Prize.update(status=Status.SOLD).where(is_kept).execute():
            raise PrizeNotAvailable
        if amount:
            move = Move(amount, Account.HOUSE_PRIZES, Account.BALANCE)
            posting.post(kind=Kind.PRIZE_SALE, user_id=user_id, moves=[move], now=now)
        sold = {"prize": prize_id, "amountCents": amount}
        record(What.PRIZE_SOLD, now=now, user_id=user_id, after=sold)
        return amount, users.get_by_id(user_id)
