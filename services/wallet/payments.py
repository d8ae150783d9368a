"""Deposits and withdrawals that the payment processor reports. Each is recorded once."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import peewee

from models.db.connection import reading, writing
from models.payments import Payment
from models.users import User
from services.accounts import notifications
from services.affiliates import referrals
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import What
from services.ledger import posting
from services.ledger.posting import Account, Kind, Move
from services.shared.clock import Millis
from services.shared.errors import InsufficientBalance, OperatorError
from services.shared.money import Cents, decimal_text, price_text
from services.shared.text_validation import is_storable

ASSET_AMOUNT = re.compile(r"[0-9]+(\.[0-9]+)?", re.ASCII)
HEX_HASH = re.compile(r"(?:0[xX])?([0-9a-fA-F]+)")


class PaymentType(StrEnum):
    """The direction of a payment."""

    DEPOSIT = "deposit"
    WITHDRAW = "withdraw"


def record(*, user: User, type_: PaymentType, usd: Cents, now: Millis, **transfer: str) -> Payment:
    """Record a payment and move the coins, one for each USD. A player is notified of a deposit.

    ``transfer`` has what the processor says of it: ``chain``, ``asset``, ``txhash``, ``to``, and ``amount``,
    decimal text in units of the asset, by default the USD.

    The payment also counts for the owner of the promo code that the player has used.
    A txhash is recorded once on the whole platform: recording it again with the same player, type and USD
    changes nothing and returns the first payment. Of two concurrent calls one records the
    payment, and both return it.
    Raises InsufficientBalance; OperatorError for invalid values, and for a known txhash with another player,
    type or USD.
    """
    if usd <= 0:
        raise OperatorError("USD must be more than 0")
    payment = Payment(user=user, type=type_, usd_cents=usd, created_at_ms=now, **_checked(transfer))
    payment.transfer_key = _key_of(payment.txhash)
    payment.amount = payment.amount or decimal_text(usd)
    try:
        with writing():
            return _first(payment) or _record(payment)
    except (peewee.IntegrityError, InsufficientBalance):
        # A concurrent call may have recorded the same transfer, and a withdrawal may have taken the coins.
        if first := _first(payment):
            return first
        raise


@reading()
def _first(payment: Payment) -> Payment | None:
    """The payment that is recorded with this txhash. Raises OperatorError if it differs from this one."""
    key = payment.transfer_key
    first: Payment | None = Payment.get_or_none(Payment.transfer_key == key) if key else None
    if first:
        compared = {"player": "user", "type": "type", "USD": "usd_cents"}
        different = [
            name for name, field in compared.items() if getattr(first, field) != getattr(payment, field)
        ]
        if different:
            raise OperatorError(f"this txhash is recorded already, with another {', '.join(different)}")
    return first


def _key_of(txhash: str) -> str | None:
    """The normalised txhash: hexadecimal digits in lower case without ``0x``, other texts unchanged."""
    digits = HEX_HASH.fullmatch(txhash)
    return (digits[1].lower() if digits else txhash) or None


def _record(payment: Payment) -> Payment:
    usd, now, user_id = Cents(payment.usd_cents), Millis(payment.created_at_ms), payment.user.id
    if payment.type == PaymentType.DEPOSIT:
        kind, move = Kind.DEPOSIT, Move(usd, Account.HOUSE_PAYMENTS, Account.BALANCE)
    else:
        kind, move = Kind.WITHDRAWAL, Move(usd, Account.BALANCE, Account.HOUSE_PAYMENTS)
    posted: Any = posting.post(kind=kind, user_id=user_id, moves=[move], now=now)
    payment.ledger_transaction = posted
    payment.save(force_insert=True)
    referrals.count_payment(user_id=user_id, kind=kind, usd=usd)
    if kind is Kind.DEPOSIT:
        message = f"Your deposit of {price_text(usd)} was credited to your balance."
        notifications.notify(user_id=user_id, title="Deposit credited", message=message, now=now)
    recorded = {"payment": payment.id, "type": payment.type, "usdCents": usd}
    audit_trail.record(What.PAYMENT_RECORDED, now=now, user_id=user_id, after=recorded)
    return payment


def _checked(transfer: Mapping[str, str]) -> dict[str, str]:
    """The trimmed texts. Raises OperatorError for invalid ones."""
    texts = {name: text.strip() for name, text in transfer.items()}
    for name, text in texts.items():
        most = getattr(Payment, name).max_length
        if len(text) > most or not is_storable(text):
            raise OperatorError(f"--{name} must be a text of at most {most} characters")
    if texts.get("amount") and not ASSET_AMOUNT.fullmatch(texts["amount"]):
        raise OperatorError("--amount must be a decimal number, in units of the asset")
    return texts
