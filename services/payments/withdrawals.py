"""Withdrawals: the coins are held when a player requests one, and leave or come back exactly once."""

import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import peewee
from peewee import fn

from models.db.connection import reading, writing
from models.payments import PaymentRecord, PaymentType, Withdrawal, WithdrawalStatus
from models.users import User
from services.accounts import access, notifications, users
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import AuditEventType
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions, limits
from services.payments import address_book, rows, transfers
from services.payments.address_book import AddressBook
from services.payments.errors import StatusChanged, WagerFirst
from services.payments.hold import PayoutHold
from services.payments.registry import Providers
from services.payments.transfers import Transfer
from services.payments.withdrawal_checks import CheckService, Decision
from services.rewards.bonuses import Bonuses
from services.shared.clock import CalendarPeriod, Millis
from services.shared.money import Cents, price_text
from settings import Settings

INTERRUPTED_MS = 20_000
"""A check that has not answered for so long was interrupted."""

PPM = 1_000_000

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
        self,
        providers: Providers,
        settings: Settings,
        *,
        address_book: AddressBook,
        bonuses: Bonuses,
        hold: PayoutHold,
        clock: Callable[[], Millis],
    ) -> None:
        self._providers = providers
        self._address_book = address_book
        self._bonuses = bonuses
        self._settings = settings
        self._hold = hold
        # The check may take long, and a decision has the time after it.
        self._clock = clock
        self._check = CheckService(settings) if settings.withdrawal_check_url else None

    def request(
        self,
        *,
        user_id: int,
        method: str,
        amount: Cents,
        to: str,
        forfeit_bonus: bool = False,
        idempotency_key: str | None,
        now: Millis,
    ) -> tuple[Withdrawal, bool]:
        """Hold the coins for a withdrawal; returns it, and whether it is new.

        Of concurrent requests with one key one makes the row. The operator's check, if there is one, is
        asked after the commit. An open bonus is paid first if bets have paid for it, else it ends with
        ``forfeit_bonus``. Raises InvalidIdempotencyKey, IdempotencyKeyReused, UnknownMethod,
        AmountOutsideLimits, InvalidAddress, AccountSuspended, AddressNotAdded, AddressTooNew, WagerFirst,
        BonusWouldBeLost,
        InsufficientBalance.
        """
        columns = {"method": method, "amount_cents": amount, "destination": to}
        asked: dict[str, Any] = {"user_id": user_id, "idempotency_key": idempotency_key, "columns": columns}
        if first := rows.find_repeated(Withdrawal, **asked):
            return first, False
        provider = self._providers.for_withdrawal(method, amount)
        address_book.check_form(to)
        held = self._held_reason()
        try:
            withdrawal = self._insert(
                user_id, provider.name, columns, idempotency_key, now, held, forfeit_bonus=forfeit_bonus
            )
        except peewee.IntegrityError:
            if first := rows.find_repeated(Withdrawal, **asked):
                return first, False
            raise
        self.decide(withdrawal)
        return rows.get(Withdrawal, withdrawal.id), True

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
        with suppress(StatusChanged), writing():
            user = users.lock(withdrawal.user_id)
            if rows.get(Withdrawal, withdrawal.id).check_decision is not None:
                # Another process has asked too, and had its answer first.
                return
            # While withdrawals are held, it may have been paid before a restore.
            if decision is Decision.REJECT and held is None:
                # The check's own reason, which may have personal details, is not in the audit trail.
                rejected = WithdrawalStatus.REJECTED
                release(withdrawal, rejected, reason="rejected by the check", now=now, **answer)
                return
            if decision is not Decision.APPROVE:
                review_reason: str | None = "The check leaves it to staff"
            elif user.suspended_at_ms is not None:
                review_reason = "The player was suspended"
            else:
                review_reason = self._review_reason(user.id, Cents(withdrawal.amount_cents), now)
            review_reason = held or review_reason
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
        columns: dict[str, Any],
        idempotency_key: str | None,
        now: Millis,
        held: str | None,
        *,
        forfeit_bonus: bool,
    ) -> Withdrawal:
        amount = Cents(columns["amount_cents"])
        with writing():
            # No other withdrawal of the player is made before the commit.
            user = users.lock(user_id)
            access.check_not_suspended(user)
            self._address_book.check_usable(
                user_id=user_id, method=columns["method"], address=columns["destination"], now=now
            )
            self._check_wagers(user, now)
            self._bonuses.before_withdrawal(user, forfeit=forfeit_bonus, now=now)
            move = Move(amount, Account.BALANCE, Account.HOUSE_HELD)
            hold = posting.post(kind=LedgerKind.WITHDRAWAL_HELD, user_id=user_id, moves=[move], now=now)
            review_reason = held or self._review_reason(user_id, amount, now)
            if self._check:
                review_reason = "The check has not answered"
            withdrawal: Withdrawal = Withdrawal.create(
                id=secrets.token_hex(16),
                user=user_id,
                provider=provider,
                hold=hold,
                idempotency_key=idempotency_key,
                created_at_ms=now,
                changed_at_ms=now,
                **columns,
                **{"poll_wait_ms": self._providers.first_wait(provider)}
                | self._decided(review_reason, provider, now),
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
        is_deposit = (PaymentRecord.user == user.id) & (PaymentRecord.type == PaymentType.DEPOSIT)
        total = PaymentRecord.select(fn.COALESCE(fn.SUM(PaymentRecord.usd_cents), 0)).where(is_deposit)
        deposited = int(total.scalar())
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
            return {"status": WithdrawalStatus.REQUESTED, "review_reason": review_reason}
        times = rows.poll_now(now, self._providers.first_wait(provider))
        approved = WithdrawalStatus.APPROVED
        return {"status": approved, "is_auto_approved": True, "review_reason": None, **times}


def change(withdrawal: Withdrawal, *, now: Millis | None, only_if: Any = True, **changes: Any) -> None:
    """Change a withdrawal that is still as ``withdrawal`` shows it. Raises StatusChanged if not.

    Its status must be the same, and no other payout asked for or stored: one that was stored meanwhile may be
    approved, and then the coins must not be given back. ``only_if`` is one more condition. Without ``now`` it
    counts as unchanged for players.
    """
    changes["changed_at_ms"] = withdrawal.changed_at_ms if now is None else now
    is_same = (
        (Withdrawal.id == withdrawal.id)
        & (Withdrawal.status == withdrawal.status)
        & (Withdrawal.payouts_asked == withdrawal.payouts_asked)
        # With None this is IS NULL.
        & (Withdrawal.payout_id == withdrawal.payout_id)
    )
    if not Withdrawal.update(changes).where(is_same, only_if).execute():
        raise StatusChanged


def release(
    withdrawal: Withdrawal, status: WithdrawalStatus, *, reason: str, now: Millis, **changes: Any
) -> None:
    """Give the held coins back to the player, and end the withdrawal. Raises StatusChanged."""
    user_id, amount = withdrawal.user_id, Cents(withdrawal.amount_cents)
    with writing():
        move = Move(amount, Account.HOUSE_HELD, Account.BALANCE)
        released = posting.post(kind=LedgerKind.WITHDRAWAL_RELEASED, user_id=user_id, moves=[move], now=now)
        ended = {"status": status, "reason": reason[:200], "release": released, "poll_at_ms": None}
        change(withdrawal, now=now, **ended, **changes)
        was_rejected = status is WithdrawalStatus.REJECTED
        what, usd = "rejected" if was_rejected else "not possible", price_text(amount)
        notifications.notify(
            user_id=withdrawal.user_id,
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
    amount = Cents(withdrawal.amount_cents)
    with writing():
        # The sums of the player's referral are changed too.
        users.lock(withdrawal.user_id)
        payment = transfers.insert_payment(
            user_id=withdrawal.user_id,
            type_=PaymentType.WITHDRAWAL,
            usd=amount,
            transfer=transfer,
            transfer_key=transfers.free_key(transfer),
            now=now,
            source=Account.HOUSE_HELD,
        )
        txhash = transfers.transaction_of(transfer.txhash) or None
        ended = {"status": WithdrawalStatus.COMPLETED, "reason": reason, "poll_at_ms": None}
        change(withdrawal, now=now, payment=payment.id, txhash=txhash, **ended)
        notifications.notify(
            user_id=withdrawal.user_id,
            title="Withdrawal sent",
            message=f"Your withdrawal of {price_text(amount)} was sent.",
            now=now,
        )
        more = {"payment": payment.id} | ({"reason": reason} if reason else {})
        record_event(AuditEventType.WITHDRAWAL_COMPLETED, withdrawal, now=now, **more)


def record_event(event: AuditEventType, withdrawal: Withdrawal, *, now: Millis, **more: Any) -> None:
    """Record an event, without the address, which is a personal detail."""
    after = {"withdrawal": withdrawal.id, "amountCents": withdrawal.amount_cents, **more}
    audit_trail.record(event, now=now, user_id=withdrawal.user_id, after=after)
