"""Deposits and withdrawals, as the payment processor reported them."""

import peewee
from peewee import Check

from models.database import Table
from models.ledger import LedgerTransaction
from models.users import User


class Payment(Table):
    """One movement of real money, with the ledger transaction that moved the coins."""

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    type = peewee.CharField(max_length=8, constraints=[Check("type IN ('deposit', 'withdraw')")])
    chain = peewee.CharField(max_length=64, default="")
    asset = peewee.CharField(max_length=64, default="")
    # As the processor wrote it: an amount of the asset, of whatever precision that has; else the USD.
    amount = peewee.CharField(max_length=80, default="")
    usd_cents = peewee.BigIntegerField(constraints=[Check("usd_cents > 0")])
    # As the processor wrote it, which may be in either case.
    txhash = peewee.CharField(max_length=128, default="")
    # The txhash as it compares: a transfer counts once on the whole platform. Null without a txhash.
    transfer_key = peewee.CharField(max_length=128, null=True, unique=True)
    to = peewee.CharField(max_length=128, default="")
    # The payment and the coins it moved are one.
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "payments"


# A player's payments, newest or oldest first, of one type or of both.
Payment.add_index(Payment.index(Payment.user, Payment.created_at_ms, Payment.id, name="payments_of_player"))
# The same of one type.
Payment.add_index(
    Payment.index(
        Payment.user, Payment.type, Payment.created_at_ms, Payment.id, name="payments_of_player_by_type"
    )
)
# A player's payments by amount. Two indexes, because equal amounts are newest first in either order.
Payment.add_index(
    Payment.index(
        Payment.user,
        Payment.usd_cents.desc(),
        Payment.created_at_ms.desc(),
        Payment.id.desc(),
        name="payments_of_player_highest",
    )
)
Payment.add_index(
    Payment.index(
        Payment.user,
        Payment.usd_cents,
        Payment.created_at_ms.desc(),
        Payment.id.desc(),
        name="payments_of_player_lowest",
    )
)
# The same of one type.
Payment.add_index(
    Payment.index(
        Payment.user,
        Payment.type,
        Payment.usd_cents.desc(),
        Payment.created_at_ms.desc(),
        Payment.id.desc(),
        name="payments_of_player_by_type_highest",
    )
)
Payment.add_index(
    Payment.index(
        Payment.user,
        Payment.type,
        Payment.usd_cents,
        Payment.created_at_ms.desc(),
        Payment.id.desc(),
        name="payments_of_player_by_type_lowest",
    )
)
