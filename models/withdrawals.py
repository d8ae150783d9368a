"""Withdrawals that players request themselves, through a payment provider."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.ledger import LedgerTransaction
from models.payments import Payment
from models.users import User

WITHDRAWAL_STATUSES = ("requested", "approved", "sending", "sent", "completed", "rejected", "failed")


class Withdrawal(Table):
    """A withdrawal, and the provider's payout for it.

    ``hold`` is the ledger transaction that moved the coins to ``house.held`` when it was requested. Either
    ``release`` moves them back, or the transaction of ``payment`` moves them out. Each change of ``status``
    is one update guarded by the status before it.
    """

    # Random hexadecimal digits, also in the metadata of the payout.
    id = peewee.CharField(max_length=32, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    provider = peewee.CharField(max_length=16)
    method = peewee.CharField(max_length=64)
    status = peewee.CharField(max_length=9, constraints=[Check(f"status IN {WITHDRAWAL_STATUSES}")])
    amount_cents = peewee.BigIntegerField(constraints=[Check("amount_cents > 0")])
    # Where the money goes; a personal detail.
    destination = peewee.CharField(max_length=256)
    txhash = peewee.CharField(max_length=128, null=True)
    # The one payout that may be approved.
    payout_id = peewee.CharField(max_length=128, null=True)
    # How often a payout was asked for. After an unknown answer there may be more than one.
    payouts_asked = peewee.IntegerField(default=0)
    is_auto_approved = peewee.BooleanField(default=False)
    # The answer of the operator's check, null before it and without one.
    check_decision = peewee.CharField(max_length=7, null=True)
    check_reason = peewee.CharField(max_length=200, default="")
    # Why it was rejected, or has failed.
    reason = peewee.CharField(max_length=200, default="")
    hold = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    release = peewee.ForeignKeyField(LedgerTransaction, null=True, unique=True, on_delete="RESTRICT")
    payment = peewee.ForeignKeyField(Payment, null=True, unique=True, on_delete="RESTRICT")
    idempotency_key = peewee.CharField(max_length=64, null=True)
    created_at_ms = peewee.BigIntegerField()
    changed_at_ms = peewee.BigIntegerField()
    sending_since_ms = peewee.BigIntegerField(null=True)
    # When the provider is asked next, null for never, and the pause after that.
    poll_at_ms = peewee.BigIntegerField(null=True)
    poll_wait_ms = peewee.BigIntegerField()
    # Why it was not approved automatically.
    review_reason = peewee.CharField(max_length=200, null=True)
    # When a transfer of the payout was first seen. After that a cancelled payout may have been paid.
    in_progress_since_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "withdrawals"
        constraints = [
            Check("(status = 'completed') = (payment_id IS NOT NULL)", "withdrawals_payment"),
            Check("(status IN ('rejected', 'failed')) = (release_id IS NOT NULL)", "withdrawals_release"),
        ]
        indexes = (
            # Of parallel requests with one key, one makes the row.
            (("user", "idempotency_key"), True),
            # A payout belongs to one withdrawal.
            (("provider", "payout_id"), True),
        )


# A player's withdrawals, newest first, and the sum of the day that was approved automatically.
Withdrawal.add_index(
    Withdrawal.index(Withdrawal.user, Withdrawal.created_at_ms, Withdrawal.id, name="withdrawals_of_player")
)
# Those to send, or to ask the provider about.
Withdrawal.add_index(
    Withdrawal.index(Withdrawal.poll_at_ms, name="withdrawals_to_poll", where=SQL("poll_at_ms IS NOT NULL"))
)
# Those that have changed lately, for the sockets.
Withdrawal.add_index(Withdrawal.index(Withdrawal.changed_at_ms, name="withdrawals_changed"))
# Those whose coins are held, for the ledger's audit, for metrics and for staff.
Withdrawal.add_index(
    Withdrawal.index(Withdrawal.status, Withdrawal.changed_at_ms, name="withdrawals_by_status")
)
# Searches of staff.
Withdrawal.add_index(Withdrawal.index(Withdrawal.destination, name="withdrawals_by_destination"))
Withdrawal.add_index(
    Withdrawal.index(Withdrawal.txhash, name="withdrawals_by_txhash", where=SQL("txhash IS NOT NULL"))
)
