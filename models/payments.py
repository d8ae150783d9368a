"""Deposits, withdrawals, their addresses and payments, providers' messages, and differences from them."""

from enum import StrEnum

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.ledger import LedgerTransaction
from models.users import User


class PaymentType(StrEnum):
    """The direction of a payment in the books."""

    DEPOSIT = "deposit"
    WITHDRAWAL = "withdraw"
    """The stored word is older."""


class DepositStatus(StrEnum):
    """A deposit is created, waits for money, and ends; staff decide about what is in review."""

    CREATED = "created"
    PENDING = "pending"
    CONFIRMING = "confirming"
    CREDITED = "credited"
    EXPIRED = "expired"
    FAILED = "failed"
    REVIEW = "review"


class WithdrawalStatus(StrEnum):
    """The coins of a withdrawal are held until it is completed, rejected or failed."""

    REQUESTED = "requested"
    APPROVED = "approved"
    SENDING = "sending"
    SENT = "sent"
    COMPLETED = "completed"
    REJECTED = "rejected"
    FAILED = "failed"


def _one_of(column: str, values: type[StrEnum]) -> list[peewee.Node]:
    """The constraint that a column has one of these values."""
    return [Check(f"{column} IN {tuple(value.value for value in values)}")]


class PaymentRecord(Table):
    """A movement of real money in the books, and the ledger transaction that moved the coins.

    It may belong to a deposit or withdrawal, or to no more than what the operator has recorded.
    """

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    user_id: int
    type = peewee.CharField(max_length=8, constraints=_one_of("type", PaymentType))
    chain = peewee.CharField(max_length=64, default="")
    asset = peewee.CharField(max_length=64, default="")
    # Decimal text of any precision, in units of the asset; the USD by default.
    amount = peewee.CharField(max_length=80, default="")
    usd_cents = peewee.BigIntegerField(constraints=[Check("usd_cents > 0")])
    # As the provider wrote it, in upper or lower case.
    txhash = peewee.CharField(max_length=128, default="")
    # The normalised txhash, with the number of the output if that is known: ``…-0``. By it a transfer is
    # recorded only once. Null without a txhash.
    transfer_key = peewee.CharField(max_length=128, null=True, unique=True)
    to = peewee.CharField(max_length=128, default="")
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "payments"
        indexes = (
            # A player's payments, newest or oldest first. A player has few, so other orders are sorted.
            SQL("CREATE INDEX payments_of_player ON payments (user_id, created_at_ms, id)"),
            # Payments of one transaction, which may have several outputs.
            SQL("CREATE INDEX payments_by_transaction ON payments (substr(transfer_key, 1, 64))"),
            # Searches of staff.
            SQL('CREATE INDEX payments_by_address ON payments ("to") WHERE "to" <> \'\''),
            # The payments of a period.
            SQL("CREATE INDEX payments_by_time ON payments (created_at_ms)"),
        )


HAS_ADDRESS = SQL("\"to\" <> ''")
"""With a literal, so that the partial index matches."""


class Deposit(Table):
    """A deposit, and the provider's invoice for it.

    Each change of ``status`` is one update guarded by the status before it. A deposit is ``credited`` in the
    transaction that moves the coins and writes the row of ``payments``.
    """

    # Random hexadecimal digits. The provider gets it as the invoice's ``orderId``.
    id = peewee.CharField(max_length=32, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    user_id: int
    # Also the name of the provider.
    method = peewee.CharField(max_length=16)
    status = peewee.CharField(max_length=10, constraints=_one_of("status", DepositStatus))
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
    payment = peewee.ForeignKeyField(PaymentRecord, null=True, unique=True, on_delete="RESTRICT")
    idempotency_key = peewee.CharField(max_length=64, null=True)
    created_at_ms = peewee.BigIntegerField()
    changed_at_ms = peewee.BigIntegerField()
    # When the provider is asked next, null for never, and the pause after that.
    poll_at_ms = peewee.BigIntegerField(null=True)
    poll_wait_ms = peewee.BigIntegerField()
    # What has come for certain, null while it is not known; and what of it was known when staff decided.
    paid_cents = peewee.BigIntegerField(null=True)
    decided_paid_cents = peewee.BigIntegerField(null=True)
    # The player takes the bonus with it.
    takes_bonus = peewee.BooleanField(default=False)

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
            # A player's deposits, newest first, and the sums of the deposit limits.
            SQL("CREATE INDEX deposits_of_player ON deposits (user_id, created_at_ms, id)"),
            # Those to ask the provider about.
            SQL("CREATE INDEX deposits_to_poll ON deposits (poll_at_ms) WHERE poll_at_ms IS NOT NULL"),
            # Those that have changed lately, for the sockets.
            SQL("CREATE INDEX deposits_changed ON deposits (changed_at_ms)"),
            # Those that are not final, for metrics and for staff.
            SQL("CREATE INDEX deposits_by_status ON deposits (status, changed_at_ms)"),
        )


class Withdrawal(Table):
    """A withdrawal, and the provider's payout for it.

    ``hold`` is the ledger transaction that moved the coins to ``house.held`` when it was requested. Either
    ``release`` moves them back, or the transaction of ``payment`` moves them out. Each change of ``status``
    is one update guarded by the status before it.
    """

    # Random hexadecimal digits, also in the metadata of the payout.
    id = peewee.CharField(max_length=32, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    user_id: int
    provider = peewee.CharField(max_length=16)
    method = peewee.CharField(max_length=64)
    status = peewee.CharField(max_length=9, constraints=_one_of("status", WithdrawalStatus))
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
    payment = peewee.ForeignKeyField(PaymentRecord, null=True, unique=True, on_delete="RESTRICT")
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
            # A player's withdrawals, newest first, and the sum of the day that was approved automatically.
            SQL("CREATE INDEX withdrawals_of_player ON withdrawals (user_id, created_at_ms, id)"),
            # Those to send, or to ask the provider about.
            SQL("CREATE INDEX withdrawals_to_poll ON withdrawals (poll_at_ms) WHERE poll_at_ms IS NOT NULL"),
            # Those that have changed lately, for the sockets.
            SQL("CREATE INDEX withdrawals_changed ON withdrawals (changed_at_ms)"),
            # Those whose coins are held, for the ledger's audit, for metrics and for staff.
            SQL("CREATE INDEX withdrawals_by_status ON withdrawals (status, changed_at_ms)"),
            # Searches of staff.
            SQL("CREATE INDEX withdrawals_by_destination ON withdrawals (destination)"),
            SQL("CREATE INDEX withdrawals_by_txhash ON withdrawals (txhash) WHERE txhash IS NOT NULL"),
        )


class WithdrawalAddress(Table):
    """An entry of a player's address book. It is added and deleted, and never changed."""

    # Random hexadecimal digits.
    id = peewee.CharField(max_length=32, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    user_id: int
    method = peewee.CharField(max_length=64)
    # The player's own word for it. Name and address are personal details.
    name = peewee.CharField(max_length=32)
    address = peewee.CharField(max_length=256)
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "withdrawal_addresses"
        indexes = (
            # A player's entries, and none twice: the same one again would begin its delay anew.
            (("user", "method", "address"), True),
            # Those that were added lately, for the sockets.
            SQL("CREATE INDEX withdrawal_addresses_by_time ON withdrawal_addresses (created_at_ms)"),
        )


class WebhookDelivery(Table):
    """A message with a good signature. It is answered when it is stored, and processed after that."""

    id = peewee.BigAutoField()
    provider = peewee.CharField(max_length=16)
    # The sender's id of it; the same one again is not stored.
    delivery_id = peewee.CharField(max_length=128)
    body = peewee.TextField()
    received_at_ms = peewee.BigIntegerField()
    processed_at_ms = peewee.BigIntegerField(null=True)
    # Why nothing was done. Kept for staff.
    error = peewee.CharField(max_length=200, null=True)
    # The row of ``payments`` that a message of the operator's own service has recorded.
    payment_id = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "webhook_deliveries"
        indexes = (
            (("provider", "delivery_id"), True),
            # Those that wait.
            SQL(
                "CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (id)"
                " WHERE processed_at_ms IS NULL"
            ),
            # Old ones are deleted.
            SQL("CREATE INDEX webhook_deliveries_received ON webhook_deliveries (received_at_ms)"),
            # The payments that were recorded by messages.
            SQL(
                "CREATE INDEX webhook_deliveries_payment ON webhook_deliveries (payment_id)"
                " WHERE payment_id IS NOT NULL"
            ),
            # Those that staff must look at.
            SQL("CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (id) WHERE error IS NOT NULL"),
        )


class Discrepancy(Table):
    """One difference. The row stays when it is solved, and is opened again if the difference comes back."""

    id = peewee.BigAutoField()
    kind = peewee.CharField(max_length=32)
    # The id of our deposit, withdrawal or message where there is one, else the provider's.
    subject = peewee.CharField(max_length=128)
    ours = peewee.CharField(max_length=200)
    theirs = peewee.CharField(max_length=200)
    found_at_ms = peewee.BigIntegerField()
    solved_at_ms = peewee.BigIntegerField(null=True)
    # Staff have looked at it: the same difference is not reported again.
    is_dismissed = peewee.BooleanField(default=False)
    # The player and the address of what is not here. The latter is a personal detail.
    platform_id = peewee.CharField(max_length=80, null=True)
    address = peewee.CharField(max_length=256, null=True)

    class Meta:
        table_name = "payment_discrepancies"
        indexes = (
            # Reported by several processes at once, it is one row.
            (("kind", "subject"), True),
            SQL(
                "CREATE INDEX payment_discrepancies_open ON payment_discrepancies (kind)"
                " WHERE solved_at_ms IS NULL"
            ),
        )
