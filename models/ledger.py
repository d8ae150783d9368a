"""The double-entry ledger: rows are written once and never changed."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.users import User


class LedgerTransaction(Table):
    """One change of balances; its entries sum to zero."""

    id = peewee.BigAutoField()
    kind = peewee.CharField(max_length=32)
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "ledger_transactions"


class LedgerEntry(Table):
    """The amount that a transaction adds to an account, or takes from it if negative.

    A player's accounts are ``balance``, ``vault`` and ``sweepstake``. Those of the house begin with
    ``house.`` and have no user.
    """

    id = peewee.BigAutoField()
    transaction = peewee.ForeignKeyField(LedgerTransaction, backref="entries", on_delete="RESTRICT")
    account = peewee.CharField(max_length=32)
    user = peewee.ForeignKeyField(User, null=True, on_delete="RESTRICT", index=False)
    amount_cents = peewee.BigIntegerField(constraints=[Check("amount_cents <> 0")])

    class Meta:
        table_name = "ledger_entries"
        constraints = [
            Check(
                "(user_id IS NOT NULL AND account IN ('balance', 'vault', 'sweepstake'))"
                " OR (user_id IS NULL AND substr(account, 1, 6) = 'house.')"
            )
        ]


# A player's entries, newest first, and the audit's sums of players, from the index alone. An entry is in one
# of these two indexes.
LedgerEntry.add_index(
    LedgerEntry.index(
        LedgerEntry.user,
        LedgerEntry.id,
        LedgerEntry.account,
        LedgerEntry.amount_cents,
        name="ledger_entries_of_player",
        where=SQL("user_id IS NOT NULL"),
    )
)
# The sums of the house's accounts, from the index alone.
LedgerEntry.add_index(
    LedgerEntry.index(
        LedgerEntry.account,
        LedgerEntry.amount_cents,
        name="ledger_entries_of_house",
        where=SQL("user_id IS NULL"),
    )
)
