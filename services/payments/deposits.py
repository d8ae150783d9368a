"""Deposits: a player asks for one, the provider gets the money, and it is credited once."""

import logging
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import peewee
from peewee import fn

from models.db.connection import database, reading, writing
from models.payments import Deposit, DepositStatus, PaymentRecord, PaymentType
from models.users import User
from services.accounts import access, users
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import AuditEventType
from services.limits import exclusions
from services.limits.limits import Limit, LimitReached
from services.payments import discrepancies, rows, transfers
from services.payments.deposit_states import (
    CLOSED,
    DepositOutcome,
    foreign_invoices,
    is_ours,
    next_step,
    outcome_of,
    paid_cents,
    transfer_of_invoice,
)
from services.payments.discrepancies import DiscrepancyKind
from services.payments.errors import DepositNotCancellable, DepositRefused, ProviderAway, StatusChanged
from services.payments.provider import (
    CALL_SECONDS,
    Declined,
    Invoice,
    NotDone,
    OutcomeUnknown,
    Provider,
    ProviderError,
)
from services.payments.registry import Providers
from services.payments.transfers import Transfer
from services.rewards.bonuses import Bonuses
from services.shared.clock import DAY_MS, MINUTE_MS, CalendarPeriod, Millis
from services.shared.money import Cents
from settings import Settings

log = logging.getLogger("platform.payments")

GIVE_UP_AFTER_MS = 60 * MINUTE_MS
"""A deposit without any trace at the provider has failed then."""

LATE_MONEY_MS = DAY_MS
"""Money may come late: an invoice is watched for so much longer than the provider watches it."""

WORKERS = 8
"""Calls to a provider at the same time, since most of a call is waiting."""

CANCELLABLE = (DepositStatus.CREATED, DepositStatus.PENDING)
"""The statuses of deposits that a player can cancel, as long as nothing was paid."""

NOT_OURS = "made by somebody else"
RECORDED_BEFORE = "a payment with this txhash is recorded already"
ABOVE_MOST = "more was paid than asked, and more than PAYMENTS_MAX_USD"
ABOVE_LIMIT = "more was paid than asked, and more than the player's deposit limit leaves"
OF_CLOSED_ACCOUNT = "the money came after the player had closed the account"
CANCELLED = "cancelled by the player"


# Rows: nothing here calls a provider.


def change(deposit: Deposit, *, now: Millis | None, **changes: Any) -> None:
    """Change a deposit that still has the status of ``deposit``, and ``deposit`` with it.

    Without ``now`` it counts as unchanged for players. Raises StatusChanged if it has another status.
    """
    is_same = (Deposit.id == deposit.id) & (Deposit.status == deposit.status)
    changes["changed_at_ms"] = deposit.changed_at_ms if now is None else now
    if not Deposit.update(changes).where(is_same).execute():
        raise StatusChanged
    for name, value in changes.items():
        setattr(deposit, name, value)


def credit(
    deposit: Deposit,
    amount: Cents,
    transfer: Transfer,
    *,
    bonuses: Bonuses,
    now: Millis,
    reason: str = "",
    **changes: Any,
) -> None:
    """Add the coins to the balance, offer the bonus and end the deposit, within ``writing()``.

    ``reason`` is that of staff, if they decide it. Raises StatusChanged, and peewee.IntegrityError if the
    txhash is recorded already.
    """
    payment = transfers.insert_payment(
        user_id=deposit.user_id,
        type_=PaymentType.DEPOSIT,
        usd=amount,
        transfer=transfer,
        transfer_key=transfers.key_of(transfer),
        now=now,
    )
    ended = {"status": DepositStatus.CREDITED, "reason": reason, "poll_at_ms": None}
    change(deposit, now=now, credited_cents=amount, payment=payment.id, **ended, **changes)
    after = {"deposit": deposit.id, "payment": payment.id, "amountCents": amount}
    after |= {"reason": reason} if reason else {}
    audit_trail.record(AuditEventType.DEPOSIT_CREDITED, now=now, user_id=deposit.user_id, after=after)
    if deposit.takes_bonus:
        bonuses.offer(payment, now=now)


def check_limits(user: User, *, amount: Cents, now: Millis) -> None:
    """Check that a deposit exceeds none of the player's deposit limits. It may reach them.

    Raises LimitReached for the first of day, week and month that would be exceeded. Concurrent deposits need
    the row of ``user`` to be locked before this.
    """
    for period in CalendarPeriod:
        limit = Limit("deposit", period).of(user)
        if limit is not None and _deposited_since(user.id, period.start(now)) + amount > limit:
            raise LimitReached(limit="deposit", period=period, resets_at=period.end(now))


def _deposited_since(user_id: int, start: Millis) -> Cents:
    """The player's deposits since then: what was credited, and what is still open.

    A deposit belongs to the day of its creation. What the operator has recorded counts as credited.
    """
    credited = (Deposit.status == DepositStatus.CREDITED, Deposit.credited_cents)
    counted = peewee.Case(None, [credited, (Deposit.status.in_(CLOSED), 0)], Deposit.amount_cents)
    own = Deposit.select(fn.COALESCE(fn.SUM(counted), 0))
    own = own.where(Deposit.user == user_id, Deposit.created_at_ms >= start)
    recorded = (
        PaymentRecord.select(fn.COALESCE(fn.SUM(PaymentRecord.usd_cents), 0))
        .join(Deposit, peewee.JOIN.LEFT_OUTER, on=(Deposit.payment == PaymentRecord.id))
        .where(
            PaymentRecord.user == user_id,
            PaymentRecord.type == PaymentType.DEPOSIT,
            PaymentRecord.created_at_ms >= start,
            Deposit.id.is_null(),
        )
    )
    return Cents(int(own.scalar()) + int(recorded.scalar()))


class Deposits:
    """Makes deposits, and follows their invoices."""

    def __init__(
        self, providers: Providers, settings: Settings, *, bonuses: Bonuses, clock: Callable[[], Millis]
    ) -> None:
        self._providers = providers
        self._bonuses = bonuses
        # A call to a provider may take long, and changes have the time after it.
        self._clock = clock
        self._most = settings.payments_max_cents

    def create(
        self,
        *,
        user_id: int,
        method: str,
        amount: Cents,
        takes_bonus: bool = False,
        idempotency_key: str | None,
        now: Millis,
    ) -> tuple[Deposit, bool]:
        """Make a deposit and ask the provider for an invoice; returns it, and whether it is new.

        With ``takes_bonus`` the player agrees to the bonus. The row is written first. When the provider's
        answer is unknown, the deposit stays ``created``, and polling finds or makes its invoice. Of
        concurrent requests with one key one makes the row. Raises InvalidIdempotencyKey,
        IdempotencyKeyReused, UnknownMethod, AmountOutsideLimits, TakingABreak, ExcludedPermanently,
        LimitReached, NoBonus, and then DepositRefused or ProviderAway, after which the deposit is ``failed``
        and the key free again.
        """
        columns = {"method": method, "amount_cents": amount, "takes_bonus": takes_bonus}
        asked: dict[str, Any] = {"user_id": user_id, "idempotency_key": idempotency_key, "columns": columns}
        if first := rows.find_repeated(Deposit, **asked):
            return first, False
        provider = self._providers.for_deposit(method, amount)
        try:
            deposit = self._insert(user_id, columns, idempotency_key, now)
        except peewee.IntegrityError:
            if first := rows.find_repeated(Deposit, **asked):
                return first, False
            raise
        try:
            self._make_invoice(deposit, provider)
        except Declined as error:
            self._fail(deposit, str(error), idempotency_key=None)
            raise DepositRefused from None
        except NotDone as error:
            self._fail(deposit, str(error), idempotency_key=None)
            raise ProviderAway from None
        except OutcomeUnknown as error:
            log.warning("deposit not answered: %s", error, extra={"deposit": deposit.id})
        return rows.get(Deposit, deposit.id), True

    def _insert(
        self, user_id: int, columns: dict[str, Any], idempotency_key: str | None, now: Millis
    ) -> Deposit:
        amount = Cents(columns["amount_cents"])
        with writing():
            # No other deposit of the player, and no new limit, is made before the commit.
            user = users.lock(user_id)
            access.check_not_suspended(user)
            exclusions.check_none(user, now=now)
            check_limits(user, amount=amount, now=now)
            if columns["takes_bonus"]:
                self._bonuses.check_available(user)
            # Polling waits until the first call has ended.
            answered_at = Millis(now + int(CALL_SECONDS * 1000))
            deposit: Deposit = Deposit.create(
                id=secrets.token_hex(16),
                user=user_id,
                status=DepositStatus.CREATED,
                secret=secrets.token_hex(24),
                idempotency_key=idempotency_key,
                created_at_ms=now,
                changed_at_ms=now,
                **columns,
                **rows.first_poll(answered_at, self._providers.first_wait(columns["method"])),
            )
            created = {"deposit": deposit.id, "method": deposit.method, "amountCents": amount}
            audit_trail.record(AuditEventType.DEPOSIT_CREATED, now=now, user_id=user_id, after=created)
            return deposit

    def _make_invoice(self, deposit: Deposit, provider: Provider) -> None:
        player = users.get_by_id(deposit.user_id)
        invoice = provider.create_invoice(deposit, platform_id=player.platform_id)
        if not is_ours(invoice, deposit):
            raise OutcomeUnknown("the provider has made another invoice than it was asked for")
        self._adopt(deposit, invoice, now=self._clock())

    def _adopt(self, deposit: Deposit, invoice: Invoice, *, now: Millis) -> None:
        """Make this the deposit's invoice, unless it has one."""
        with _ignoring_concurrent_change(), writing():
            change(
                deposit,
                now=now,
                status=DepositStatus.PENDING,
                invoice_id=invoice.id,
                checkout_url=invoice.checkout_url or None,
                expires_at_ms=invoice.expires_at,
                monitored_until_ms=invoice.monitored_until,
                **rows.first_poll(now, self._providers.first_wait(deposit.method)),
            )

    def poll_due(self, *, now: Millis, most: int) -> int:
        """Ask the providers about the deposits that are due; returns how many.

        Of concurrent processes one asks about each.
        """
        due = self._claim_due(now=now, most=most)
        if due:
            with ThreadPoolExecutor(WORKERS) as pool:
                list(pool.map(self._poll, due))
        return len(due)

    def _poll(self, deposit: Deposit) -> None:
        try:
            self.refresh(deposit)
        except ProviderError as error:
            log.warning("deposit not asked about: %s", error, extra={"deposit": deposit.id})

    def _claim_due(self, *, now: Millis, most: int) -> list[Deposit]:
        """Set the next time of the deposits that are due, and return them."""
        claimed: list[Deposit] = []
        for method in self._providers.by_name:
            due: Any = Deposit.select(Deposit.id)
            due = due.where(Deposit.poll_at_ms <= now, Deposit.method == method)
            with reading():
                if not due.exists():
                    continue
            due = due.order_by(Deposit.poll_at_ms, Deposit.created_at_ms, Deposit.id).limit(most)
            if database.for_update:
                # Another process is claiming or changing the others.
                due = due.for_update("FOR UPDATE SKIP LOCKED")
            # As ``_watched_until`` and ``rows.next_poll``.
            watched_until = fn.COALESCE(Deposit.monitored_until_ms, 0) + LATE_MONEY_MS
            is_over = Deposit.status.in_(CLOSED) & (watched_until <= now)
            doubled, longest = Deposit.poll_wait_ms * 2, self._providers.longest_wait(method)
            claim = Deposit.update(
                poll_at_ms=peewee.Case(None, [(is_over, None)], now + Deposit.poll_wait_ms),
                poll_wait_ms=peewee.Case(None, [(doubled < longest, doubled)], longest),
            )
            with writing():
                claimed += claim.where(Deposit.id.in_(due)).returning(Deposit).execute()
        return claimed

    def refresh(self, deposit: Deposit) -> None:
        """Ask the provider about a deposit, and do what its invoice says.

        Raises ProviderError. Does nothing if the method is not set up any more.
        """
        provider = self._providers.by_name.get(deposit.method)
        if provider is None:
            return
        if deposit.invoice_id is None:
            self._find_invoice(deposit, provider)
        if deposit.invoice_id is None:
            return
        # ``is_ours`` was true of the invoice whose id was stored.
        invoice = provider.get_invoice(deposit.invoice_id)
        if invoice is not None:
            self.follow(deposit, invoice, now=self._clock())
        elif self._clock() > _watched_until(deposit) and deposit.status not in CLOSED:
            self._fail(deposit, "the provider does not have its invoice any more")

    def _find_invoice(self, deposit: Deposit, provider: Provider) -> None:
        """Find the invoice of a deposit whose first call had no known answer, or make another one."""
        found = provider.find_invoices(deposit.id)
        now = self._clock()
        if foreign := foreign_invoices(deposit, found):
            kind = DiscrepancyKind.FOREIGN_INVOICE
            discrepancies.report(kind, deposit.id, ours=NOT_OURS, theirs=foreign, now=now)
        if ours := [invoice for invoice in found if is_ours(invoice, deposit)]:
            self._adopt(deposit, min(ours, key=lambda each: (each.created_at, each.id)), now=now)
        elif now - deposit.created_at_ms < GIVE_UP_AFTER_MS:
            try:
                self._make_invoice(deposit, provider)
            except Declined as error:
                self._fail(deposit, str(error))
        else:
            self._fail(deposit, "the provider has no trace of it")

    def follow(self, deposit: Deposit, invoice: Invoice, *, now: Millis) -> None:
        """Take the step that the invoice asks for. Of concurrent calls one takes it."""
        asked = Cents(deposit.amount_cents)
        # What staff have decided stays.
        wanted = None if deposit.is_decided_by_staff else outcome_of(invoice, asked=asked)
        outcome = next_step(deposit.status, wanted)
        paid = paid_cents(invoice, asked=asked)
        # Keep the last known amount if this answer has none.
        paid_column: dict[str, Any] = {} if paid in (None, deposit.paid_cents) else {"paid_cents": paid}
        if outcome is None and not paid_column:
            return
        # If another process records the same transfer now, the next round finds it.
        with _ignoring_concurrent_change(), writing():
            if outcome is None:
                change(deposit, now=None, **paid_column)
                return
            if outcome.credited is not None:
                transfer = transfer_of_invoice(invoice)
                reason = self._reason_for_review(deposit, outcome.credited, transfer)
                if reason is None:
                    bonuses = self._bonuses
                    credit(deposit, outcome.credited, transfer, bonuses=bonuses, now=now, **paid_column)
                    return
                outcome = DepositOutcome(DepositStatus.REVIEW, reason)
            times = self._times_after(outcome.status, deposit, now)
            change(deposit, now=now, status=outcome.status, reason=outcome.reason, **times, **paid_column)

    def _reason_for_review(self, deposit: Deposit, credited: Cents, transfer: Transfer) -> str | None:
        """Why staff must decide about a deposit that was paid in full; None if it can be credited.

        More than was asked for may be more than the settings and the player allow. Locks the transfer, and
        then the player's row.
        """
        if transfers.lock_and_find(transfer):
            return RECORDED_BEFORE
        user = users.lock(deposit.user_id)
        if user.closed_at_ms is not None:
            return OF_CLOSED_ACCOUNT
        more = Cents(credited - deposit.amount_cents)
        if not more:
            return None
        if credited > self._most:
            return ABOVE_MOST
        try:
            # It counts already with what was asked for, on the day when it was made.
            check_limits(user, amount=more, now=Millis(deposit.created_at_ms))
        except LimitReached:
            return ABOVE_LIMIT
        return None

    def adopt_late(self, deposit: Deposit, invoice: Invoice, *, now: Millis) -> None:
        """Make this the invoice of a deposit that was given up without one. The status stays."""
        with _ignoring_concurrent_change(), writing():
            change(deposit, now=now, invoice_id=invoice.id, monitored_until_ms=invoice.monitored_until)

    def cancel(self, deposit: Deposit, *, now: Millis) -> None:
        """End a player's open deposit to which no money is known to have come. What comes later is for staff.

        There is no status of its own: it is ``expired`` then. If a payment and a cancellation race, the first
        to commit counts. Raises DepositNotCancellable.
        """
        if deposit.status not in CANCELLABLE or deposit.paid_cents:
            raise DepositNotCancellable
        try:
            with writing():
                times = self._times_after(DepositStatus.EXPIRED, deposit, now)
                change(deposit, now=now, status=DepositStatus.EXPIRED, reason=CANCELLED, **times)
                cancelled = {"deposit": deposit.id}
                what = AuditEventType.DEPOSIT_CANCELLED
                audit_trail.record(what, now=now, user_id=deposit.user_id, after=cancelled)
        except StatusChanged:
            raise DepositNotCancellable from None

    def _fail(self, deposit: Deposit, reason: str, **changes: Any) -> None:
        with _ignoring_concurrent_change(), writing():
            ended = {"status": DepositStatus.FAILED, "reason": reason, "poll_at_ms": None}
            change(deposit, now=self._clock(), **ended, **changes)
            log.warning("deposit failed: %s", reason, extra={"deposit": deposit.id})

    def _times_after(self, status: DepositStatus, deposit: Deposit, now: Millis) -> dict[str, Any]:
        """When the provider is asked again: not about what staff decide, and not for ever."""
        if status is DepositStatus.REVIEW or (status in CLOSED and now >= _watched_until(deposit)):
            return {"poll_at_ms": None}
        return rows.first_poll(now, self._providers.first_wait(deposit.method))


def _watched_until(deposit: Deposit) -> int:
    return (deposit.monitored_until_ms or 0) + LATE_MONEY_MS


@contextmanager
def _ignoring_concurrent_change() -> Iterator[None]:
    """Leave a deposit alone that another process has changed, or whose transfer it has just recorded.

    The next round looks at it again. Around the transaction, which is rolled back.
    """
    try:
        yield
    except StatusChanged:
        log.info("deposit changed meanwhile")
    except peewee.IntegrityError:
        log.warning("deposit not changed", exc_info=True)
