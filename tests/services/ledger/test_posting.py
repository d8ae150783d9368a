"""The ledger posts only moves of coins, and only of coins that are there."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerTransaction
from services.ledger.posting import Account, LedgerKind, Move, post
from services.shared.errors import InsufficientBalance


def test_a_move_of_nothing_or_of_less_is_refused(player):
    with reading():
        before = LedgerTransaction.select().count()

    for amount in (0, -1):
        with pytest.raises(ValueError, match="more than 0"):
            post(
                kind=LedgerKind.GRANT,
                user_id=player.id,
                moves=[Move(amount, Account.HOUSE_GRANTS, Account.BALANCE)],
                now=1,
            )

    with reading():
        assert LedgerTransaction.select().count() == before


@pytest.mark.both_databases("money postings")
def test_a_wager_is_not_paid_from_its_own_payout(player):
    wager = Move(10_001, Account.BALANCE, Account.HOUSE_BETS)
    payout = Move(50_000, Account.HOUSE_BETS, Account.BALANCE)
    with reading():
        before = LedgerTransaction.select().count()

    with pytest.raises(InsufficientBalance):
        post(kind=LedgerKind.SPIN, user_id=player.id, moves=[wager, payout], now=1)

    with reading():
        assert LedgerTransaction.select().count() == before
