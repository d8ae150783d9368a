"""Audit of the prizes: the house holds the value of those that are not sold, and each belongs to its bet."""

from collections.abc import Iterator

import peewee
from peewee import fn

from models.bets import Bet, Prize
from models.ledger import LedgerEntry
from services.ledger.posting import Account
from services.wallet.prizes.prizes import Status

HELD = {
    Account.HOUSE_PRIZES: (Status.KEPT, Status.SHIPPING),
    Account.HOUSE_SHIPPED: (Status.SHIPPED,),
}
"""The accounts of the house, and the prizes whose value each holds."""


def mismatches() -> Iterator[str]:
    """A line for each account with another sum than its prizes, and each prize that differs from its bet."""
    for account, statuses in HELD.items():
        posted = LedgerEntry.select(fn.SUM(LedgerEntry.amount_cents)).where(
            LedgerEntry.user.is_null(), LedgerEntry.account == account
        )
        held = Prize.select(fn.SUM(Prize.value_cents)).where(Prize.status.in_(statuses))
        if (posted.scalar() or 0) != (held.scalar() or 0):
            yield f"{account} differs from the prizes that are {' or '.join(statuses)}"
    for prize_id in _of_other_bets().scalars():
        yield f"prize {prize_id} differs from its bet"
    for bet_id in _missing().scalars():
        yield f"bet {bet_id} has no prize"


def _of_other_bets() -> peewee.Select:
    return (
        Prize.select(Prize.id)
        .join(Bet)
        .where(
            (Prize.user != Bet.user)
            | (Prize.name != Bet.item)
            | (Prize.value_cents != Bet.payout_cents)
            | (Prize.won_at_ms != Bet.created_at_ms)
        )
    )


def _missing() -> peewee.Select:
    return (
        Bet.select(Bet.id)
        .join(Prize, peewee.JOIN.LEFT_OUTER, on=(Prize.bet == Bet.id))
        .where(Bet.algorithm == "irl-1", Prize.id.is_null())
    )
