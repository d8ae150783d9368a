"""Deposits and withdrawals, as reported by the payment processor."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.ledger import LedgerTransaction
from models.users import User


class Payment(Table):
    """A movement of real money, and the ledger transaction that moved the coins."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    type = peewee.CharField(max_length=8, constraints=[Check("type IN ('deposit', 'withdraw')")])
    chain = peewee.CharField(max_length=64, default="")
    asset = peewee.CharField(max_length=64, default="")
    # Decimal text of any precision, in units of the asset; the USD by default.
    amount = peewee.CharField(max_length=80, default="")
    usd_cents = peewee.BigIntegerField(constraints=[Check("usd_cents > 0")])
    # As the processor wrote it, in upper or lower case.
    txhash = peewee.CharField(max_length=128, default="")
    # The normalised txhash, with the number of the output if that is known: ``…-0``. By it a transfer is
    # recorded only once. Null without a txhash.
    transfer_key = peewee.CharField(max_length=128, null=True, unique=True)
    to = peewee.CharField(max_length=128, default="")
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "payments"


# A player's payments, newest or oldest first. A player has few, so other orders are sorted.
Payment.add_index(Payment.index(Payment.user, Payment.created_at_ms, Payment.id, name="payments_of_player"))
HAS_ADDRESS = SQL("\"to\" <> ''")
"""With a literal, so that the partial index matches."""

# Payments of one transaction, which may have several outputs.
Payment.add_index(Payment.index(SQL("substr(transfer_key, 1, 64)"), name="payments_by_transaction"))
# Searches of staff.
Payment.add_index(Payment.index(Payment.to, name="payments_by_address", where=HAS_ADDRESS))
# The payments of a period.
Payment.add_index(Payment.index(Payment.created_at_ms, name="payments_by_time"))
