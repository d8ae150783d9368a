"""Payments in the books: recording one, and finding one by its transfer. Each transfer is recorded once."""

import re
from dataclasses import asdict, dataclass
from typing import Any

import peewee
from peewee import fn

from models.db.connection import database, reading, writing
from models.payments import Deposit, PaymentRecord, PaymentType, WebhookDelivery, Withdrawal
from models.users import User
from services.accounts import notifications
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import AuditEventType
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.rewards.bonuses import Bonuses
from services.shared.clock import Millis
from services.shared.errors import InsufficientBalance, Refusal
from services.shared.money import Cents, decimal_text, price_text
from services.shared.text import is_storable
from services.wallet import affiliates

ASSET_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
HEX_HASH = re.compile(r"(?:0[xX])?([0-9a-fA-F]+)")
OUTPUT = re.compile(r"((?:0[xX])?[0-9a-fA-F]{64})-([0-9]+)", re.ASCII)
"""An output of a transaction. Each is a transfer of its own."""
TRANSACTION_DIGITS = 64
DEPOSIT_TITLE = "Deposit credited"


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """The provider's description of the transfer; unknown fields are empty.

    ``amount`` is decimal text in units of the asset, the USD by default.
    """

    chain: str = ""
    asset: str = ""
    amount: str = ""
    txhash: str = ""
    to: str = ""


def record(
    *,
    user: User,
    type_: PaymentType,
    usd: Cents,
    transfer: Transfer,
    now: Millis,
    bonuses: Bonuses | None = None,
) -> PaymentRecord:
    """Record a payment and move the coins, one for each USD. A player is notified of a deposit.

    The payment also counts for the owner of the promo code that the player has used. With ``bonuses`` the
    player has agreed to the bonus of the deposit.
    A txhash is recorded once on the whole platform: recording it again with the same player, type and USD
    changes nothing and returns the first payment. When two calls run concurrently, one records the payment,
    and both return it.
    Raises InsufficientBalance; Refusal for invalid values, and for a known txhash with another player,
    type or USD.
    """
    try:
        with writing():
            return record_in_transaction(
                user=user, type_=type_, usd=usd, transfer=transfer, now=now, bonuses=bonuses
            )
    except (peewee.IntegrityError, InsufficientBalance):
        # A concurrent call may have recorded the same transfer, and a withdrawal may have taken the coins.
        with reading():
            same = _same_payment(_payments_with_key(key_of(_checked(transfer))), user, type_, usd)
        if same is None:
            raise
        return same


def record_in_transaction(
    *,
    user: User,
    type_: PaymentType,
    usd: Cents,
    transfer: Transfer,
    now: Millis,
    bonuses: Bonuses | None = None,
) -> PaymentRecord:
    """As ``record``, within the caller's ``writing()``.

    When a concurrent call records the same transfer, peewee.IntegrityError or InsufficientBalance is raised.
    A second attempt in another transaction finds the first payment.
    """
    if usd <= 0:
        raise Refusal("USD must be more than 0")
    transfer = _checked(transfer)
    if same := _same_payment(lock_and_find(transfer), user, type_, usd):
        return same
    payment = insert_payment(
        user_id=user.id, type_=type_, usd=usd, transfer=transfer, transfer_key=key_of(transfer), now=now
    )
    recorded = {"payment": payment.id, "type": type_, "usdCents": usd}
    audit_trail.record(AuditEventType.PAYMENT_RECORDED, now=now, user_id=user.id, after=recorded)
    if bonuses is not None and type_ is PaymentType.DEPOSIT:
        bonuses.offer(payment, now=now)
    return payment


def _same_payment(
    recorded: list[PaymentRecord], user: User, type_: PaymentType, usd: Cents
) -> PaymentRecord | None:
    """The payment among these, which have one txhash. Raises Refusal if they differ from it."""
    given = {"player": user, "type": type_, "USD": usd}
    different: list[str] = []
    for payment in recorded:
        values = {"player": payment.user, "type": payment.type, "USD": payment.usd_cents}
        different = [name for name in given if given[name] != values[name]]
        if not different:
            return payment
    if different:
        raise Refusal(f"this txhash is recorded already, with another {', '.join(different)}")
    return None


def key_of(transfer: Transfer) -> str | None:
    """The normalised txhash: hexadecimal digits in lower case without ``0x``, other texts unchanged.

    It keeps the number of an output.
    """
    output = OUTPUT.fullmatch(transfer.txhash)
    whole, number = (output[1], f"-{output[2]}") if output else (transfer.txhash, "")
    digits = HEX_HASH.fullmatch(whole)
    return ((digits[1].lower() if digits else whole) + number) or None


def transaction_of(txhash: str) -> str:
    """The id of the transaction, without the number of an output."""
    output = OUTPUT.fullmatch(txhash)
    return output[1] if output else txhash


def _payments_with_key(key: str | None) -> list[PaymentRecord]:
    """The payments of a transfer: ``HASH-0`` and ``HASH-1`` differ, and ``HASH`` matches both."""
    if key is None:
        return []
    is_near: Any = fn.SUBSTR(PaymentRecord.transfer_key, 1, TRANSACTION_DIGITS) == key[:TRANSACTION_DIGITS]
    whole = transaction_of(key)
    return [
        payment
        for payment in PaymentRecord.select().where(is_near).order_by(PaymentRecord.id)
        if payment.transfer_key in (key, whole) or transaction_of(payment.transfer_key or "") == key
    ]


def free_key(transfer: Transfer) -> str | None:
    """The transfer's key, unless a payment has it already: several payouts may be one transfer."""
    key = key_of(transfer)
    return None if _payments_with_key(key) else key


def lock_and_find(transfer: Transfer) -> list[PaymentRecord]:
    """Lock the transaction's hash until the commit, and return the payments that have it."""
    key = key_of(transfer)
    if key is None:
        return []
    database.lock_name(transaction_of(key))
    return _payments_with_key(key)


@reading()
def was_recorded_by_hand(
    *, user: User, type_: PaymentType, usd: Cents, transfer: Transfer, since: Millis
) -> bool:
    """Whether a payment was recorded since then that may be this one, although it does not say so.

    It belongs to no deposit, withdrawal or message, and one of both has no txhash.
    """
    query: Any = PaymentRecord.select().where(
        PaymentRecord.user == user,
        PaymentRecord.type == type_,
        PaymentRecord.usd_cents == usd,
        PaymentRecord.created_at_ms >= since,
    )
    if key_of(transfer) is not None:
        query = query.where(PaymentRecord.transfer_key.is_null())
    for column in (Deposit.payment, Withdrawal.payment, WebhookDelivery.payment_id):
        query = query.where(
            ~fn.EXISTS(column.model.select(column.model.id).where(column == PaymentRecord.id))
        )
    return bool(query.exists())


def insert_payment(
    *,
    user_id: int,
    type_: PaymentType,
    usd: Cents,
    transfer: Transfer,
    transfer_key: str | None,
    now: Millis,
    source: Account = Account.BALANCE,
) -> PaymentRecord:
    """Move the coins and insert the payment, within ``writing()``. A player is notified of a deposit.

    The coins of a withdrawal leave ``source``. Raises peewee.IntegrityError if another payment has the key,
    and InsufficientBalance.
    """
    is_deposit = type_ is PaymentType.DEPOSIT
    kind = LedgerKind.DEPOSIT if is_deposit else LedgerKind.WITHDRAWAL
    accounts = (Account.HOUSE_PAYMENTS, Account.BALANCE) if is_deposit else (source, Account.HOUSE_PAYMENTS)
    described = asdict(transfer)
    described["amount"] = transfer.amount or decimal_text(usd)
    described["txhash"] = transaction_of(transfer.txhash)
    payment: PaymentRecord = PaymentRecord.create(
        user=user_id,
        type=type_,
        usd_cents=usd,
        transfer_key=transfer_key,
        ledger_transaction=posting.post(kind=kind, user_id=user_id, moves=[Move(usd, *accounts)], now=now),
        created_at_ms=now,
        **described,
    )
    affiliates.count_payment(user_id=user_id, kind=kind, usd=usd)
    if is_deposit:
        notifications.notify(
            user_id=user_id,
            title=DEPOSIT_TITLE,
            message=f"Your deposit of {price_text(usd)} was credited to your balance.",
            now=now,
        )
    return payment


def _checked(transfer: Transfer) -> Transfer:
    """The transfer with trimmed texts. Raises Refusal for invalid ones."""
    texts = {name: text.strip() for name, text in asdict(transfer).items()}
    for name, text in texts.items():
        most = getattr(PaymentRecord, name).max_length
        if len(text) > most or not is_storable(text):
            raise Refusal(f"--{name} must be a text of at most {most} characters")
    if texts["amount"] and not ASSET_AMOUNT.fullmatch(texts["amount"]):
        raise Refusal("--amount must be a decimal number, in units of the asset")
    return Transfer(**texts)
