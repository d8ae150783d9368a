"""Withdrawals: the coins are held when a player requests one, and leave or come back exactly once."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Any

import peewee
from peewee import fn

from models.db.connection import reading, writing
from models.payments import Payment, Withdrawal
from models.users import User
from services.accounts import notifications, users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions, limits
from services.payments import transfers
from services.payments.errors import (
    AmountOutsideLimits,
    InvalidAddress,
    PaymentNotFound,
    StatusChanged,
    WagerFirst,
)
from services.payments.hold import PayoutHold
from services.payments.idempotency import check_key, first_row
from services.payments.methods import PaymentMethods
from services.payments.polling_times import at_once
from services.payments.transfers import PaymentType, Transfer
from services.payments.withdrawal_checks import CheckService, Decision
from services.shared.clock import CalendarPeriod, Millis
from services.shared.errors import AccountSuspended
from services.shared.money import Cents, price_text
from settings import Settings

MAX_ADDRESS = 256

INTERRUPTED_MS = 20_000
"""A check that has not answered for so long was interrupted."""

PPM = 1_000_000


class WithdrawalStatus(StrEnum):
    """The coins of a withdrawal are held until it is completed, rejected or failed."""

    REQUESTED = "requested"
    APPROVED = "approved"
    SENDING = "sending"
    SENT = "sent"
    COMPLETED = "completed"
    REJECTED = "rejected"
    FAILED = "failed"


HELD = (
    WithdrawalStatus.REQUESTED,
    WithdrawalStatus.APPROVED,
    WithdrawalStatus.SENDING,
    WithdrawalStatus.SENT,
)
RELEASED = (WithdrawalStatus.REJECTED, WithdrawalStatus.FAILED)
UNDER_WAY = (WithdrawalStatus.SENDING, WithdrawalStatus.SENT)


class Withdrawals:
    """Takes requests, has them checked, and approves those that the settings allow."""

    def __init__(
        self, methods: PaymentMethods, settings: Settings, *, hold: PayoutHold, clock: Callable[[], Millis]
    ) -> None:
        self._methods = methods
        self._settings = settings
        self._hold = hold
        # The check may take long, and a decision has the time after it.
        self._clock = clock
        self._check = CheckService(settings) if settings.withdrawal_check_url else None

    def request(
        self, *, user_id: int, method: str, amount: Cents, to: str, key: str | None, now: Millis
    ) -> tuple[Withdrawal, bool]:
        """Hold the coins for a withdrawal; returns it, and whether it is new.

        Of concurrent requests with one ``key`` one makes the row. The operator's check, if there is one, is
        asked after the commit. Raises InvalidIdempotencyKey, IdempotencyKeyReused, UnknownMethod,
        AmountOutsideLimits, InvalidAddress, AccountSuspended, WagerFirst, InsufficientBalance.
        """
        check_key(key)
        body = {"method": method, "amount_cents": amount, "destination": to}
        if first := first_row(Withdrawal, user_id=user_id, key=key, body=body):
            return first, False
        provider = self._methods.for_withdrawals(method)
        if not self._settings.payments_min_cents <= amount <= self._settings.payments_max_cents:
            raise AmountOutsideLimits
        if not 1 <= len(to) <= MAX_ADDRESS or not to.isprintable() or to != to.strip():
            raise InvalidAddress
        held = self._held_reason()
        try:
            withdrawal = self._insert(user_id, provider.name, body, key, now, held)
        except peewee.IntegrityError:
            first = first_row(Withdrawal, user_id=user_id, key=key, body=body)
            if first is None:
                raise
            return first, False
        self.decide(withdrawal)
        return get(withdrawal.id), True

    def decide(self, withdrawal: Withdrawal) -> None:
        """Ask the operator's check about a request, and approve it if check and limits allow that.

        A check that rejects ends the request. Waits for the check at most ten seconds. Of concurrent calls
        one decides.
        """
        if self._check is None or withdrawal.check_decision is not None:
            return
        decision, reason = self._check.ask(withdrawal)
        now, held = self._clock(), self._held_reason()
        answer = {"check_decision": decision, "check_reason": reason}
        user_id: int = withdrawal.user_id  # type: ignore[attr-defined]  # made by peewee
        with suppress(StatusChanged), writing():
            user = users.lock(user_id)
            if get(withdrawal.id).check_decision is not None:
                # Another process has asked too, and had its answer first.
                return
            # While withdrawals are held, it may have been paid before a restore.
            if decision is Decision.REJECT and held is None:
                # The check's own reason, which may have personal details, is not in the audit trail.
                rejected = WithdrawalStatus.REJECTED
                release(withdrawal, rejected, reason="rejected by the check", now=now, **answer)
                return
            amount = Cents(withdrawal.amount_cents)
            review_reason: str | None
            if held is not None:
                review_reason = held
            elif decision is not Decision.APPROVE:
                review_reason = "The check leaves it to staff"
            elif user.suspended_at_ms is not None:
                review_reason = "The player was suspended"
            else:
                review_reason = self._review_reason(user_id, amount, now)
            decided = self._decided(review_reason, withdrawal.provider, now)
            change(withdrawal, now=now, **answer, **decided)
            if review_reason is None:
                record_event(AuditEventType.WITHDRAWAL_APPROVED, withdrawal, now=now)

    def decide_interrupted(self, *, now: Millis) -> None:
        """Decide about the oldest request whose process has died before the check has answered."""
        if self._check is None:
            return
        is_requested = Withdrawal.status == WithdrawalStatus.REQUESTED
        is_old = Withdrawal.created_at_ms <= now - INTERRUPTED_MS
        query = Withdrawal.select().where(is_requested, is_old, Withdrawal.check_decision.is_null())
        with reading():
            oldest = query.order_by(Withdrawal.created_at_ms, Withdrawal.hold).first()
        if oldest is not None:
            self.decide(oldest)

    def _held_reason(self) -> str | None:
        hold = self._hold.current()
        return f"Withdrawals were held: {hold.reason}" if hold else None

    def _insert(
        self,
        user_id: int,
        provider: str,
        body: dict[str, Any],
        key: str | None,
        now: Millis,
        held: str | None,
    ) -> Withdrawal:
        amount = Cents(body["amount_cents"])
        with writing():
            # No other withdrawal of the player is made before the commit.
            user = users.lock(user_id)
            if user.suspended_at_ms is not None:
                raise AccountSuspended
            self._check_wagers(user, now)
            move = Move(amount, Account.BALANCE, Account.HOUSE_HELD)
            hold = posting.post(kind=LedgerKind.WITHDRAWAL_HELD, user_id=user_id, moves=[move], now=now)
            review_reason = (
                "The check has not answered"
                if self._check
                else held or self._review_reason(user_id, amount, now)
            )
            values = {
                "status": WithdrawalStatus.REQUESTED,
                "poll_wait_ms": self._methods.first_wait(provider),
            }
            withdrawal: Withdrawal = Withdrawal.create(
                id=secrets.token_hex(16),
                user=user_id,
                provider=provider,
                hold=hold,
                idempotency_key=key,
                created_at_ms=now,
                changed_at_ms=now,
                **body,
                **values | self._decided(review_reason, provider, now),
            )
            record_event(AuditEventType.WITHDRAWAL_REQUESTED, withdrawal, now=now)
            if review_reason is None:
                record_event(AuditEventType.WITHDRAWAL_APPROVED, withdrawal, now=now)
            return withdrawal

    def _check_wagers(self, user: User, now: Millis) -> None:
        """Raises WagerFirst before the player has wagered the part of all deposits that is demanded.

        Not if the player can't play: nobody must lift a break or a limit to get their money.
        """
        part = self._settings.withdrawal_min_wagered_ppm
        if not part or exclusions.current(user, now=now) or limits.allow_no_bet(user):
            return
        is_deposit = (Payment.user == user.id) & (Payment.type == PaymentType.DEPOSIT)
        deposited = int(Payment.select(fn.COALESCE(fn.SUM(Payment.usd_cents), 0)).where(is_deposit).scalar())
        missing = -(-deposited * part // PPM) - user.wagered_cents
        if missing > 0:
            raise WagerFirst(missing=Cents(missing))

    def _review_reason(self, user_id: int, amount: Cents, now: Millis) -> str | None:
        """Why staff must decide about a request by the limits; None if it is approved at once.

        The player's row must be locked, so that two requests do not count on the same sum.
        """
        most = self._settings.withdrawal_auto_approve_cents
        if amount > most:
            return f"It is above WITHDRAWAL_AUTO_APPROVE ({price_text(most)})"
        today = Withdrawal.select(fn.COALESCE(fn.SUM(Withdrawal.amount_cents), 0)).where(
            Withdrawal.user == user_id,
            Withdrawal.is_auto_approved,
            Withdrawal.status.not_in(RELEASED),
            Withdrawal.created_at_ms >= CalendarPeriod.DAY.start(now),
        )
        approved = int(today.scalar())
        if approved + amount > most:
            return (
                f"With {price_text(approved)} that were approved automatically on this day it is above"
                f" WITHDRAWAL_AUTO_APPROVE ({price_text(most)})"
            )
        return None

    def _decided(self, review_reason: str | None, provider: str, now: Millis) -> dict[str, Any]:
        """The columns of a request that waits for staff, or is approved at once without such a reason."""
        if review_reason is not None:
            return {"review_reason": review_reason}
        times = at_once(now, self._methods.first_wait(provider))
        approved = WithdrawalStatus.APPROVED
        return {"status": approved, "is_auto_approved": True, "review_reason": None, **times}


@reading()
def get(withdrawal_id: str) -> Withdrawal:
    """The withdrawal with this id. Raises PaymentNotFound."""
    withdrawal: Withdrawal | None = Withdrawal.get_or_none(Withdrawal.id == withdrawal_id)
    if withdrawal is None:
        raise PaymentNotFound
    return withdrawal


def change(withdrawal: Withdrawal, *, now: Millis, only_if: Any = True, **changes: Any) -> None:
    """Change a withdrawal that is still as ``withdrawal`` shows it. Raises StatusChanged if not.

    Its status must be the same, and no other payout asked for or stored: one that was stored meanwhile may be
    approved, and then the coins must not be given back. ``only_if`` is one more condition.
    """
    payout_id = withdrawal.payout_id
    has_same_payout = (
        Withdrawal.payout_id.is_null() if payout_id is None else Withdrawal.payout_id == payout_id
    )
    is_same = (
        (Withdrawal.id == withdrawal.id)
        & (Withdrawal.status == withdrawal.status)
        & (Withdrawal.payouts_asked == withdrawal.payouts_asked)
        & has_same_payout
    )
    if not Withdrawal.update(changed_at_ms=now, **changes).where(is_same, only_if).execute():
        raise StatusChanged


def release(
    withdrawal: Withdrawal, status: WithdrawalStatus, *, reason: str, now: Millis, **changes: Any
) -> None:
    """Give the held coins back to the player, and end the withdrawal. Raises StatusChanged."""
    user_id: int = withdrawal.user_id  # type: ignore[attr-defined]  # made by peewee
    amount = Cents(withdrawal.amount_cents)
    with writing():
        move = Move(amount, Account.HOUSE_HELD, Account.BALANCE)
        released = posting.post(kind=LedgerKind.WITHDRAWAL_RELEASED, user_id=user_id, moves=[move], now=now)
        ended = {"status": status, "reason": reason[:200], "release": released, "poll_at_ms": None}
        change(withdrawal, now=now, **ended, **changes)
        was_rejected = status is WithdrawalStatus.REJECTED
        what, usd = "rejected" if was_rejected else "not possible", price_text(amount)
        notifications.notify(
            user_id=user_id,
            title=f"Withdrawal {what}",
            message=f"Your withdrawal of {usd} was {what}. The coins are back on your balance.",
            now=now,
        )
        event = AuditEventType.WITHDRAWAL_REJECTED if was_rejected else AuditEventType.WITHDRAWAL_FAILED
        record_event(event, withdrawal, now=now, reason=reason)


def complete(withdrawal: Withdrawal, transfer: Transfer, *, now: Millis, reason: str = "") -> None:
    """Write the payment, let the held coins leave, and end the withdrawal. Raises StatusChanged.

    ``reason`` is that of staff, if they end it.
    Raises peewee.IntegrityError if another payment with this txhash is being recorded at the same time.
    """
    user_id: int = withdrawal.user_id  # type: ignore[attr-defined]  # made by peewee
    amount = Cents(withdrawal.amount_cents)
    with writing():
        # The sums of the player's referral are changed too.
        users.lock(user_id)
        payment = transfers.write(
            user_id=user_id,
            type_=PaymentType.WITHDRAW,
            move=Move(amount, Account.HOUSE_HELD, Account.HOUSE_PAYMENTS),
            transfer=transfer,
            key=transfers.free_key(transfer),
            now=now,
        )
        ended = {"status": WithdrawalStatus.COMPLETED, "payment": payment.id, "poll_at_ms": None}
        change(
            withdrawal,
            now=now,
            txhash=transfers.transaction_of(transfer.txhash) or None,
            reason=reason,
            **ended,
        )
        notifications.notify(
            user_id=user_id,
            title="Withdrawal sent",
            message=f"Your withdrawal of {price_text(amount)} was sent.",
            now=now,
        )
        more = {"payment": payment.id} | ({"reason": reason} if reason else {})
        record_event(AuditEventType.WITHDRAWAL_COMPLETED, withdrawal, now=now, **more)


def record_event(event: AuditEventType, withdrawal: Withdrawal, *, now: Millis, **more: Any) -> None:
    """Record an event, without the address, which is a personal detail."""
    user_id: int = withdrawal.user_id  # type: ignore[attr-defined]  # made by peewee
    after = {"withdrawal": withdrawal.id, "amountCents": withdrawal.amount_cents, **more}
    record(event, now=now, user_id=user_id, after=after)
