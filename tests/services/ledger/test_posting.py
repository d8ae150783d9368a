"""The ledger posts only moves of coins."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerTransaction
from services.ledger.posting import Account, LedgerKind, Move, post


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
