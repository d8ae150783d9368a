"""Deposits and withdrawals that the payment processor reports as transfers. Each is recorded once."""

import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import peewee
from peewee import fn

from models.db.connection import database, reading, writing
from models.payments import Deposit, Payment, WebhookDelivery, Withdrawal
from models.users import User
from services.accounts import notifications
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import AuditEventType
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.shared.clock import Millis
from services.shared.errors import InsufficientBalance, Refusal
from services.shared.money import Cents, decimal_text, price_text
from services.shared.text import is_storable
from services.wallet.affiliates import referrals

ASSET_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
HEX_HASH = re.compile(r"(?:0[xX])?([0-9a-fA-F]+)")
OUTPUT = re.compile(r"((?:0[xX])?[0-9a-fA-F]{64})-([0-9]+)", re.ASCII)
"""An output of a transaction. Each is a transfer of its own."""
TRANSACTION_DIGITS = 64
DEPOSIT_TITLE = "Deposit credited"


class PaymentType(StrEnum):
    """The direction of a payment."""

    DEPOSIT = "deposit"
    WITHDRAW = "withdraw"


@dataclass(frozen=True, kw_only=True)
class Transfer:
    """The processor's description of the transfer; unknown fields are empty.

    ``amount`` is decimal text in units of the asset, the USD by default.
    """

    chain: str = ""
    asset: str = ""
    amount: str = ""
    txhash: str = ""
    to: str = ""


def record(*, user: User, type_: PaymentType, usd: Cents, transfer: Transfer, now: Millis) -> Payment:
    """Record a payment and move the coins, one for each USD. A player is notified of a deposit.

    The payment also counts for the owner of the promo code that the player has used.
    A txhash is recorded once on the whole platform: recording it again with the same player, type and USD
    changes nothing and returns the first payment. When two calls run concurrently, one records the payment,
    and both return it.
    Raises InsufficientBalance; Refusal for invalid values, and for a known txhash with another player,
    type or USD.
    """
    try:
        with writing():
            return record_within(user=user, type_=type_, usd=usd, transfer=transfer, now=now)
    except (peewee.IntegrityError, InsufficientBalance):
        # A concurrent call may have recorded the same transfer, and a withdrawal may have taken the coins.
        if first := _first(user, type_, usd, _checked(transfer)):
            return first
        raise


def record_within(*, user: User, type_: PaymentType, usd: Cents, transfer: Transfer, now: Millis) -> Payment:
    """As ``record``, within the caller's ``writing()``.

    When a concurrent call records the same transfer, peewee.IntegrityError or InsufficientBalance is raised.
    A second attempt in another transaction finds the first payment.
    """
    if usd <= 0:
        raise Refusal("USD must be more than 0")
    transfer = _checked(transfer)
    if is_recorded(transfer) and (first := _first(user, type_, usd, transfer)):
        return first
    return _record(user, type_, usd, transfer, now)


@reading()
def _first(user: User, type_: PaymentType, usd: Cents, transfer: Transfer) -> Payment | None:
    """The payment that is recorded with this txhash. Raises Refusal if it differs from this one."""
    key = key_of(transfer)
    given = {"player": user, "type": type_, "USD": usd}
    different: list[str] = []
    for first in _recorded(key):
        recorded = {"player": first.user, "type": first.type, "USD": first.usd_cents}
        different = [name for name in given if given[name] != recorded[name]]
        if not different:
            return first
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


def _recorded(key: str | None) -> list[Payment]:
    """The payments that are this transfer: two outputs are two, and one without an output is all of them."""
    if key is None:
        return []
    is_near: Any = fn.SUBSTR(Payment.transfer_key, 1, TRANSACTION_DIGITS) == key[:TRANSACTION_DIGITS]
    whole = transaction_of(key)
    return [
        payment
        for payment in Payment.select().where(is_near).order_by(Payment.id)
        if payment.transfer_key in (key, whole) or transaction_of(payment.transfer_key or "") == key
    ]


def _record(user: User, type_: PaymentType, usd: Cents, transfer: Transfer, now: Millis) -> Payment:
    if type_ is PaymentType.DEPOSIT:
        move = Move(usd, Account.HOUSE_PAYMENTS, Account.BALANCE)
    else:
        move = Move(usd, Account.BALANCE, Account.HOUSE_PAYMENTS)
    payment = write(user_id=user.id, type_=type_, move=move, transfer=transfer, key=key_of(transfer), now=now)
    recorded = {"payment": payment.id, "type": type_, "usdCents": usd}
    audit_trail.record(AuditEventType.PAYMENT_RECORDED, now=now, user_id=user.id, after=recorded)
    return payment


def free_key(transfer: Transfer) -> str | None:
    """The transfer's key, unless a payment has it already: several payouts may be one transfer."""
    key = key_of(transfer)
    return None if _recorded(key) else key


def is_recorded(transfer: Transfer) -> bool:
    """Whether this transfer is recorded, within ``writing()``. Nobody else records it before the commit."""
    key = key_of(transfer)
    if key is None:
        return False
    database.lock_name(transaction_of(key))
    return bool(_recorded(key))


@reading()
def was_recorded_by_hand(
    *, user: User, type_: PaymentType, usd: Cents, transfer: Transfer, since: Millis
) -> bool:
    """Whether a payment was recorded since then that may be this one, although it does not say so.

    It belongs to no deposit, withdrawal or message, and one of both has no txhash.
    """
    query: Any = Payment.select().where(
        Payment.user == user,
        Payment.type == type_,
        Payment.usd_cents == usd,
        Payment.created_at_ms >= since,
    )
    if key_of(transfer) is not None:
        query = query.where(Payment.transfer_key.is_null())
    for other, column in (
        (Deposit, Deposit.payment),
        (Withdrawal, Withdrawal.payment),
        (WebhookDelivery, WebhookDelivery.payment_id),
    ):
        query = query.where(~fn.EXISTS(other.select(other.id).where(column == Payment.id)))
    return bool(query.exists())


def write(
    *, user_id: int, type_: PaymentType, move: Move, transfer: Transfer, key: str | None, now: Millis
) -> Payment:
    """Move the coins and write the payment, within ``writing()``. A player is notified of a deposit.

    Raises peewee.IntegrityError if another payment has the key, and InsufficientBalance.
    """
    kind = LedgerKind.DEPOSIT if type_ is PaymentType.DEPOSIT else LedgerKind.WITHDRAWAL
    usd = move.amount
    payment: Payment = Payment.create(
        user=user_id,
        type=type_,
        usd_cents=usd,
        transfer_key=key,
        ledger_transaction=posting.post(kind=kind, user_id=user_id, moves=[move], now=now),
        created_at_ms=now,
        **asdict(transfer)
        | {"amount": transfer.amount or decimal_text(usd), "txhash": transaction_of(transfer.txhash)},
    )
    referrals.count_payment(user_id=user_id, kind=kind, usd=usd)
    if kind is LedgerKind.DEPOSIT:
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
        most = getattr(Payment, name).max_length
        if len(text) > most or not is_storable(text):
            raise Refusal(f"--{name} must be a text of at most {most} characters")
    if texts["amount"] and not ASSET_AMOUNT.fullmatch(texts["amount"]):
        raise Refusal("--amount must be a decimal number, in units of the asset")
    return Transfer(**texts)
