"""Deposits: a player asks for one, the provider gets the money, and it is credited once."""

import logging
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hmac import compare_digest
from types import MappingProxyType
from typing import Any

import peewee
from peewee import fn

from models.db.connection import database, reading, writing
from models.payments import Deposit, Payment
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.ledger.posting import Account, Move
from services.limits import deposit_limits, exclusions
from services.limits.limits import LimitReached
from services.payments import discrepancies, transfers
from services.payments.deposit_states import (
    UNPAID,
    DepositStatus,
    Outcome,
    outcome_of,
    paid_cents,
    step,
)
from services.payments.discrepancies import DiscrepancyKind
from services.payments.errors import (
    AmountOutsideLimits,
    DepositNotCancellable,
    DepositRefused,
    PaymentNotFound,
    ProviderAway,
    StatusChanged,
)
from services.payments.idempotency import check_key, first_row
from services.payments.methods import PaymentMethods
from services.payments.polling_times import soon
from services.payments.provider import CALL_SECONDS, USD, Away, Invoice, Provider, ProviderError, Refused
from services.payments.transfers import PaymentType, Transfer
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.money import Cents
from settings import Settings

log = logging.getLogger("platform.payments")

GIVE_UP_AFTER_MS = 60 * MINUTE_MS
"""A deposit without any trace at the provider has failed then."""

CANCELLABLE = (DepositStatus.CREATED, DepositStatus.PENDING)
"""The statuses of deposits that a player can cancel, as long as nothing was paid."""

NOT_OURS = "made by somebody else"
RECORDED_BEFORE = "a payment with this txhash is recorded already"
ABOVE_MOST = "more was paid than asked, and more than PAYMENTS_MAX_USD"
ABOVE_LIMIT = "more was paid than asked, and more than the player's deposit limit leaves"
CANCELLED = "cancelled by the player"


class Deposits:
    """Makes deposits, and follows their invoices."""

    def __init__(self, methods: PaymentMethods, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        self._methods = methods
        # A call to a provider may take long, and changes have the time after it.
        self._clock = clock
        self._least, self._most = settings.payments_min_cents, settings.payments_max_cents

    def create(
        self, *, user_id: int, method: str, amount: Cents, key: str | None, now: Millis
    ) -> tuple[Deposit, bool]:
        """Make a deposit and ask the provider for an invoice; returns it, and whether it is new.

        The row is written first. When the provider's answer is unknown, the deposit stays ``created``, and
        polling finds or makes its invoice. Of concurrent requests with one ``key`` one makes the row. Raises
        InvalidIdempotencyKey, IdempotencyKeyReused, UnknownMethod, AmountOutsideLimits, TakingABreak,
        ExcludedPermanently, LimitReached, and then DepositRefused or ProviderAway, after which the deposit
        is ``failed`` and the key free again.
        """
        check_key(key)
        body = {"method": method, "amount_cents": amount}
        if first := first_row(Deposit, user_id=user_id, key=key, body=body):
            return first, False
        provider = self._methods.for_deposits(method)
        if not self._least <= amount <= self._most:
            raise AmountOutsideLimits
        try:
            deposit = self._insert(user_id, method, amount, key, now)
        except peewee.IntegrityError:
            first = first_row(Deposit, user_id=user_id, key=key, body=body)
            if first is None:
                raise
            return first, False
        self._ask(deposit, provider)
        # If this call has stored no invoice, another process may have done it.
        return (get(deposit.id) if deposit.status == DepositStatus.CREATED else deposit), True

    def refresh(self, deposit: Deposit) -> None:
        """Ask the provider about a deposit, and do what its invoice says.

        Raises ProviderError. Does nothing if the method is not set up any more.
        """
        provider = self._methods.providers.get(deposit.method)
        if provider is None:
            return
        if deposit.invoice_id is None:
            self._find_invoice(deposit, provider)
        if deposit.invoice_id is not None:
            invoice = provider.invoice(deposit.invoice_id, seconds=CALL_SECONDS)
            if invoice is not None:
                self.follow(deposit, invoice, now=self._clock())
            elif self._clock() > (deposit.monitored_until_ms or 0) + DAY_MS and deposit.status not in UNPAID:
                self._fail(deposit, "the provider does not have its invoice any more")

    def follow(self, deposit: Deposit, invoice: Invoice, *, now: Millis) -> None:
        """Take the step that the invoice asks for. Of concurrent calls one takes it."""
        asked, status = Cents(deposit.amount_cents), DepositStatus(deposit.status)
        # What staff have decided stays.
        seen = None if deposit.is_decided_by_staff else outcome_of(invoice, asked=asked)
        outcome, paid = step(status, seen), paid_cents(invoice, asked=asked)
        # What is not known any more does not replace what was.
        known: dict[str, Any] = {} if paid in (None, deposit.paid_cents) else {"paid_cents": paid}
        if outcome is None and not known:
            return
        transfer = transfer_of(invoice)
        # If another process records the same transfer now, the next round finds it.
        with _or_nothing(), writing():
            if outcome is None:
                # The time of the last change is that of the status.
                change(deposit, now=Millis(deposit.changed_at_ms), **known)
                return
            if outcome.credited is not None and (why := self._doubt(deposit, outcome.credited, transfer)):
                outcome = Outcome(DepositStatus.REVIEW, why)
            if outcome.credited is not None:
                credit(deposit, outcome.credited, transfer, now=now, **known)
            else:
                times = self._times_after(outcome.status, deposit, now)
                change(deposit, now=now, status=outcome.status, reason=outcome.reason, **times, **known)

    def _doubt(self, deposit: Deposit, credited: Cents, transfer: Transfer) -> str | None:
        """Why staff must decide about a deposit that was paid in full; None if it can be credited.

        More than was asked for may be more than the settings and the player allow.
        """
        if transfers.is_recorded(transfer):
            return RECORDED_BEFORE
        more = Cents(credited - deposit.amount_cents)
        if not more:
            return None
        if credited > self._most:
            return ABOVE_MOST
        user = users.lock(deposit.user_id)  # type: ignore[attr-defined]  # made by peewee
        try:
            # It counts already with what was asked for, on the day when it was made.
            self._check_limits(user, amount=more, now=Millis(deposit.created_at_ms))
        except LimitReached:
            return ABOVE_LIMIT
        return None

    def _check_limits(self, user: User, *, amount: Cents, now: Millis) -> None:
        """Raises LimitReached. The player's row must be locked."""
        sum_since = partial(deposited_since, user.id)
        deposit_limits.check(user, amount=amount, now=now, sum_since=sum_since)

    def cancel(self, deposit: Deposit, *, now: Millis) -> None:
        """End a player's open deposit to which no money is known to have come. What comes later is for staff.

        Of a payment and a cancelling at once, one counts. Raises DepositNotCancellable.
        """
        if deposit.status not in CANCELLABLE or deposit.paid_cents:
            raise DepositNotCancellable
        try:
            with writing():
                times = self._times_after(DepositStatus.EXPIRED, deposit, now)
                change(deposit, now=now, status=DepositStatus.EXPIRED, reason=CANCELLED, **times)
                user_id: int = deposit.user_id  # type: ignore[attr-defined]  # made by peewee
                cancelled = {"deposit": deposit.id}
                record(AuditEventType.DEPOSIT_CANCELLED, now=now, user_id=user_id, after=cancelled)
        except StatusChanged:
            raise DepositNotCancellable from None

    def _insert(self, user_id: int, method: str, amount: Cents, key: str | None, now: Millis) -> Deposit:
        with writing():
            # No other deposit of the player, and no new limit, is made before the commit.
            user = users.lock(user_id)
            exclusions.check_none(user, now=now)
            self._check_limits(user, amount=amount, now=now)
            deposit: Deposit = Deposit.create(
                id=secrets.token_hex(16),
                user=user_id,
                method=method,
                status=DepositStatus.CREATED,
                amount_cents=amount,
                secret=secrets.token_hex(24),
                idempotency_key=key,
                created_at_ms=now,
                changed_at_ms=now,
                # Not before the first call has ended.
                **soon(Millis(now + int(CALL_SECONDS * 1000)), self._methods.first_wait(method)),
            )
            created = {"deposit": deposit.id, "method": method, "amountCents": amount}
            record(AuditEventType.DEPOSIT_CREATED, now=now, user_id=user_id, after=created)
            return deposit

    def _ask(self, deposit: Deposit, provider: Provider) -> None:
        """Ask for the first invoice. Raises DepositRefused and ProviderAway."""
        try:
            self._make_invoice(deposit, provider)
        except Refused as error:
            self._fail(deposit, str(error), idempotency_key=None)
            raise DepositRefused from None
        except Away as error:
            self._fail(deposit, str(error), idempotency_key=None)
            raise ProviderAway from None
        except ProviderError as error:
            log.warning("deposit not answered: %s", error, extra={"deposit": deposit.id})

    def _fail(self, deposit: Deposit, reason: str, **changes: Any) -> None:
        log.warning("deposit failed: %s", reason, extra={"deposit": deposit.id})
        with _or_nothing(), writing():
            ended = {"status": DepositStatus.FAILED, "reason": reason, "poll_at_ms": None}
            change(deposit, now=self._clock(), **ended, **changes)

    def _make_invoice(self, deposit: Deposit, provider: Provider) -> None:
        amount = Cents(deposit.amount_cents)
        invoice = provider.create_invoice(
            deposit_id=deposit.id,
            secret=deposit.secret,
            platform_id=users.get_by_id(deposit.user_id).platform_id,  # type: ignore[attr-defined]  # peewee's
            amount=amount,
            seconds=CALL_SECONDS,
        )
        if not is_ours(invoice, deposit):
            raise ProviderError("the provider has made another invoice than it was asked for")
        self._adopt(deposit, invoice, now=self._clock())

    def _find_invoice(self, deposit: Deposit, provider: Provider) -> None:
        """Find the invoice of a deposit whose first call had no known answer, or make another one."""
        found = provider.invoices_of(deposit.id, seconds=CALL_SECONDS)
        now = self._clock()
        if foreign := foreign_invoices(deposit, found):
            kind = DiscrepancyKind.FOREIGN_INVOICE
            discrepancies.report(kind, deposit.id, ours=NOT_OURS, theirs=foreign, now=now)
        if ours := [invoice for invoice in found if is_ours(invoice, deposit)]:
            self._adopt(deposit, min(ours, key=lambda each: (each.created_at, each.id)), now=now)
        elif now - deposit.created_at_ms < GIVE_UP_AFTER_MS:
            try:
                self._make_invoice(deposit, provider)
            except Refused as error:
                self._fail(deposit, str(error))
        else:
            self._fail(deposit, "the provider has no trace of it")

    def _adopt(self, deposit: Deposit, invoice: Invoice, *, now: Millis) -> None:
        """Make this the deposit's invoice, unless it has one."""
        with _or_nothing(), writing():
            change(
                deposit,
                now=now,
                status=DepositStatus.PENDING,
                invoice_id=invoice.id,
                checkout_url=invoice.checkout_url or None,
                expires_at_ms=invoice.expires_at,
                monitored_until_ms=invoice.monitored_until,
                **soon(now, self._methods.first_wait(deposit.method)),
            )

    def adopt_late(self, deposit: Deposit, invoice: Invoice, *, now: Millis) -> None:
        """Make this the invoice of a deposit that was given up without one. The status stays."""
        with _or_nothing(), writing():
            change(deposit, now=now, invoice_id=invoice.id, monitored_until_ms=invoice.monitored_until)

    def _times_after(self, status: DepositStatus, deposit: Deposit, now: Millis) -> dict[str, Any]:
        """When the provider is asked again: not about what staff decide.

        Money may come late: an invoice is watched for a day longer than the provider watches it.
        """
        is_over = status in UNPAID and now >= (deposit.monitored_until_ms or 0) + DAY_MS
        if status is DepositStatus.REVIEW or is_over:
            return {"poll_at_ms": None}
        return soon(now, self._methods.first_wait(deposit.method))

    def claim_due(self, *, now: Millis, most: int) -> list[Deposit]:
        """The deposits to ask about now. Of concurrent processes one gets each."""
        claimed: list[Deposit] = []
        for method in self._methods.providers:
            due: Any = Deposit.select(Deposit.id)
            due = due.where(Deposit.poll_at_ms <= now, Deposit.method == method)
            with reading():
                if not due.exists():
                    continue
            due = due.order_by(Deposit.poll_at_ms, Deposit.created_at_ms, Deposit.id).limit(most)
            if database.for_update:
                # Another process is claiming or changing the others.
                due = due.for_update("FOR UPDATE SKIP LOCKED")
            is_over = Deposit.status.in_(UNPAID) & (
                fn.COALESCE(Deposit.monitored_until_ms, 0) + DAY_MS <= now
            )
            doubled = Deposit.poll_wait_ms * 2
            longest = self._methods.longest_wait(method)
            claim = Deposit.update(
                poll_at_ms=peewee.Case(None, [(is_over, None)], now + Deposit.poll_wait_ms),
                poll_wait_ms=peewee.Case(None, [(doubled < longest, doubled)], longest),
            )
            with writing():
                claimed += claim.where(Deposit.id.in_(due)).returning(Deposit).execute()
        return claimed


@reading()
def get(deposit_id: str) -> Deposit:
    """The deposit with this id. Raises PaymentNotFound."""
    deposit: Deposit | None = Deposit.get_or_none(Deposit.id == deposit_id)
    if deposit is None:
        raise PaymentNotFound
    return deposit


def change(deposit: Deposit, *, now: Millis, **changes: Any) -> None:
    """Change a deposit that still has the status of ``deposit``, and ``deposit`` with it.

    Raises StatusChanged if it has another.
    """
    is_same = (Deposit.id == deposit.id) & (Deposit.status == deposit.status)
    changes["changed_at_ms"] = now
    if not Deposit.update(changes).where(is_same).execute():
        raise StatusChanged
    for name, value in changes.items():
        setattr(deposit, name, value)


def credit(
    deposit: Deposit,
    amount: Cents,
    transfer: Transfer,
    *,
    now: Millis,
    event: Mapping[str, Any] = MappingProxyType({}),
    **changes: Any,
) -> None:
    """Add the coins to the balance and end the deposit, within ``writing()``.

    ``event`` is added to the audit event. Raises StatusChanged, and peewee.IntegrityError if the txhash is
    recorded already.
    """
    user_id: int = deposit.user_id  # type: ignore[attr-defined]  # made by peewee
    payment = transfers.write(
        user_id=user_id,
        type_=PaymentType.DEPOSIT,
        move=Move(amount, Account.HOUSE_PAYMENTS, Account.BALANCE),
        transfer=transfer,
        key=transfers.key_of(transfer),
        now=now,
    )
    credited = {"credited_cents": amount, "payment": payment.id, "poll_at_ms": None}
    change(deposit, now=now, status=DepositStatus.CREDITED, **credited, **changes)
    after = {"deposit": deposit.id, "payment": payment.id, "amountCents": amount, **event}
    record(AuditEventType.DEPOSIT_CREDITED, now=now, user_id=user_id, after=after)


def is_ours(invoice: Invoice, deposit: Deposit) -> bool:
    """Whether the invoice was made for this deposit. Strangers don't know the secret."""
    is_same = (invoice.order_id, invoice.amount, invoice.currency) == (deposit.id, deposit.amount_cents, USD)
    return is_same and compare_digest((invoice.secret or "").encode(), deposit.secret.encode())


def foreign_invoices(deposit: Deposit, invoices: Iterable[Invoice]) -> str:
    """The ids of those with the deposit's id that the platform has not made. Empty if there are none."""
    foreign = [
        invoice.id
        for invoice in invoices
        if invoice.id != deposit.invoice_id and not is_ours(invoice, deposit)
    ]
    return ", ".join(sorted(foreign))


def transfer_of(invoice: Invoice) -> Transfer:
    return Transfer(
        chain=invoice.chain, asset=invoice.asset, amount=invoice.asset_amount, txhash=invoice.txhash
    )


def deposited_since(user_id: int, start: Millis) -> Cents:
    """The player's deposits since then: what was credited, and what is still open.

    A deposit belongs to the day of its creation. Recorded ones count as credited.
    """
    counted = peewee.Case(
        None,
        [
            (Deposit.status == DepositStatus.CREDITED, Deposit.credited_cents),
            (Deposit.status.in_(UNPAID), 0),
        ],
        Deposit.amount_cents,
    )
    own = Deposit.select(fn.COALESCE(fn.SUM(counted), 0))
    own = own.where(Deposit.user == user_id, Deposit.created_at_ms >= start)
    recorded = (
        Payment.select(fn.COALESCE(fn.SUM(Payment.usd_cents), 0))
        .join(Deposit, peewee.JOIN.LEFT_OUTER, on=(Deposit.payment == Payment.id))
        .where(
            Payment.user == user_id,
            Payment.type == PaymentType.DEPOSIT,
            Payment.created_at_ms >= start,
            Deposit.id.is_null(),
        )
    )
    return Cents(int(own.scalar()) + int(recorded.scalar()))


@contextmanager
def _or_nothing() -> Iterator[None]:
    """Leave a deposit alone that another process has changed, or whose transfer it has just recorded.

    The next round looks at it again. Around the transaction, which is rolled back.
    """
    try:
        yield
    except StatusChanged:
        log.info("deposit changed meanwhile")
    except peewee.IntegrityError:
        log.warning("deposit not changed", exc_info=True)
