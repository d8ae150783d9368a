"""Deposits that players make themselves, through a payment provider."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.payments import Payment
from models.users import User

DEPOSIT_STATUSES = ("created", "pending", "confirming", "credited", "expired", "failed", "review")


class Deposit(Table):
    """A deposit, and the provider's invoice for it.

    Each change of ``status`` is one update guarded by the status before it. A deposit is ``credited`` in the
    transaction that moves the coins and writes the row of ``payments``.
    """

    # Random hexadecimal digits. The provider gets it as the invoice's ``orderId``.
    id = peewee.CharField(max_length=32, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    # Also the name of the provider.
    method = peewee.CharField(max_length=16)
    status = peewee.CharField(max_length=10, constraints=[Check(f"status IN {DEPOSIT_STATUSES}")])
    amount_cents = peewee.BigIntegerField(constraints=[Check("amount_cents > 0")])
    credited_cents = peewee.BigIntegerField(null=True, constraints=[Check("credited_cents > 0")])
    # In the invoice's metadata: strangers can make invoices with any ``orderId``.
    secret = peewee.CharField(max_length=48)
    invoice_id = peewee.CharField(max_length=128, null=True)
    checkout_url = peewee.CharField(max_length=1000, null=True)
    expires_at_ms = peewee.BigIntegerField(null=True)
    # Until then the provider watches for payments that come late.
    monitored_until_ms = peewee.BigIntegerField(null=True)
    # Why it failed, or what staff must decide about.
    reason = peewee.CharField(max_length=200, default="")
    # Staff have decided: the provider's state does not matter any more.
    is_decided_by_staff = peewee.BooleanField(default=False)
    payment = peewee.ForeignKeyField(Payment, null=True, unique=True, on_delete="RESTRICT")
    idempotency_key = peewee.CharField(max_length=64, null=True)
    created_at_ms = peewee.BigIntegerField()
    changed_at_ms = peewee.BigIntegerField()
    # When the provider is asked next, null for never, and the pause after that.
    poll_at_ms = peewee.BigIntegerField(null=True)
    poll_wait_ms = peewee.BigIntegerField()
    # What has come for certain, null while it is not known; and what of it was known when staff decided.
    paid_cents = peewee.BigIntegerField(null=True)
    decided_paid_cents = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "deposits"
        constraints = [
            Check("(status = 'credited') = (payment_id IS NOT NULL)", "deposits_payment"),
            Check("(status = 'credited') = (credited_cents IS NOT NULL)", "deposits_credited"),
        ]
        indexes = (
            # Of parallel requests with one key, one makes the row.
            (("user", "idempotency_key"), True),
            # An invoice belongs to one deposit.
            (("method", "invoice_id"), True),
        )


# A player's deposits, newest first, and the sums of the deposit limits.
Deposit.add_index(Deposit.index(Deposit.user, Deposit.created_at_ms, Deposit.id, name="deposits_of_player"))
# Those to ask the provider about.
Deposit.add_index(
    Deposit.index(Deposit.poll_at_ms, name="deposits_to_poll", where=SQL("poll_at_ms IS NOT NULL"))
)
# Those that have changed lately, for the sockets.
Deposit.add_index(Deposit.index(Deposit.changed_at_ms, name="deposits_changed"))
# Those that are not final, for metrics and for staff.
Deposit.add_index(Deposit.index(Deposit.status, Deposit.changed_at_ms, name="deposits_by_status"))
