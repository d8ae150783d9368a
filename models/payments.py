"""Deposits and withdrawals, as reported by the payment processor."""

import peewee
from peewee import Check

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
    # The normalised txhash, by which a transfer is recorded only once. Null without a txhash.
    transfer_key = peewee.CharField(max_length=128, null=True, unique=True)
    to = peewee.CharField(max_length=128, default="")
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "payments"


_NEWEST_FIRST = (Payment.created_at_ms.desc(), Payment.id.desc())
_INDEXES = {
    # A player's payments, newest or oldest first, of one type or of both.
    "payments_of_player": (Payment.user, Payment.created_at_ms, Payment.id),
    "payments_of_player_by_type": (Payment.user, Payment.type, Payment.created_at_ms, Payment.id),
    # The same by amount. Two indexes each, because equal amounts are newest first in both orders.
    "payments_of_player_highest": (Payment.user, Payment.usd_cents.desc(), *_NEWEST_FIRST),
    "payments_of_player_lowest": (Payment.user, Payment.usd_cents, *_NEWEST_FIRST),
    "payments_of_player_by_type_highest": (
        Payment.user,
        Payment.type,
        Payment.usd_cents.desc(),
        *_NEWEST_FIRST,
    ),
    "payments_of_player_by_type_lowest": (Payment.user, Payment.type, Payment.usd_cents, *_NEWEST_FIRST),
}
for _name, _columns in _INDEXES.items():
    Payment.add_index(Payment.index(*_columns, name=_name))
