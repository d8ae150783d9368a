"""Reconciliation: every invoice and payout of the providers against every deposit and withdrawal here.

What a provider shows is followed first, as polling does. What differs then is a discrepancy.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import peewee

from models.db.connection import reading
from models.payments import Deposit, Discrepancy, Withdrawal
from services.payments import deposits, discrepancies
from services.payments.deposit_states import UNPAID, DepositStatus, outcome_of, paid_cents
from services.payments.deposits import NOT_OURS, Deposits, foreign_invoices, is_ours
from services.payments.discrepancies import DiscrepancyKind
from services.payments.hold import PayoutHold
from services.payments.methods import PaymentMethods
from services.payments.payout_states import agrees, doubtful_cancellation, has_terms_of, is_superfluous
from services.payments.provider import CALL_SECONDS, Invoice, Payout, PayoutState, Provider, Unknown
from services.payments.sending import OTHER_TERMS, report_second, report_slow
from services.payments.withdrawals import UNDER_WAY, WithdrawalStatus
from services.shared.background import in_slices
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.money import Cents, decimal_text

RECENT_MS = 5 * MINUTE_MS
"""What has changed this lately on either side is left out: the other side may be about to follow."""

ROWS_AT_ONCE = 500
SLICE = 20

Row = TypeVar("Row", Deposit, Withdrawal)
Thing = TypeVar("Thing")


class Difference(NamedTuple):
    """What becomes a discrepancy. ``platform_id`` and ``address`` are of what is not here."""

    kind: DiscrepancyKind
    subject: str
    ours: str
    theirs: str
    platform_id: str | None = None
    address: str | None = None


@dataclass
class Report:
    """How many invoices and payouts were compared, and the discrepancies that are open."""

    checked: int = 0
    discrepancies: Sequence[Discrepancy] = field(default_factory=list)


class Reconciliation:
    """Compares the books of the providers with ours."""

    def __init__(self, methods: PaymentMethods, follower: Deposits, *, hold: PayoutHold) -> None:
        self._methods = methods
        self._hold = hold
        self._deposits = follower

    def run(
        self,
        *,
        since: Millis,
        now: Millis,
        before_each: Callable[[], None] = lambda: None,
    ) -> Report:
        """Compare what was made since then. Raises ProviderError when a provider does not answer.

        ``before_each`` is called before each step, which asks a provider at most once. What it raises ends
        the reconciliation. Withdrawals that are held are released, if nothing more holds them.
        """
        report, epoch = Report(), self._hold.epoch()
        for provider in self._methods.providers.values():
            if provider.has_books:
                report.checked += self._compare_deposits(provider, before_each, since=since, now=now)
                report.checked += self._compare_withdrawals(provider, before_each, since=since, now=now)
        report_slow(now=now)
        # Without providers nothing was compared.
        if self._methods.providers:
            self._hold.end(epoch)
        report.discrepancies = discrepancies.open_discrepancies()
        return report

    def _compare_deposits(
        self, provider: Provider, before_each: Callable[[], None], *, since: Millis, now: Millis
    ) -> int:
        # From a day before, because the provider's clock may differ from ours.
        listed = self._listed(provider, before_each, since=Millis(max(since - DAY_MS, 0)))
        of_deposits: defaultdict[str, list[Invoice]] = defaultdict(list)
        for invoice in listed.values():
            if invoice.order_id is not None:
                of_deposits[invoice.order_id].append(invoice)
        differences: list[Difference] = []
        subjects: set[str] = set()
        for row in _steps(_rows(Deposit, Deposit.method == provider.name, since), before_each):
            invoices = of_deposits[row.id]
            deposit = self._follow(row, invoices, now=now)
            if _is_recent(deposit, invoices, now=now):
                continue
            subjects |= {deposit.id, *(invoice.id for invoice in invoices)}
            try:
                own = listed.get(deposit.invoice_id or "") or _unlisted_invoice(deposit, provider)
            except Unknown as error:
                if not error.is_about_this_only:
                    raise
                ours = _shown_deposit(deposit)
                differences.append(Difference(DiscrepancyKind.DEPOSIT, deposit.id, ours, str(error)))
                continue
            differences += _differences_of_deposit(deposit, invoices, own)
        _report(differences, subjects, DEPOSIT_KINDS, now=now)
        unknown: list[Difference] = []
        for some in peewee.chunked(_steps(listed.values(), before_each), ROWS_AT_ONCE):
            unknown += _unknown_invoices(list(some))
        _report(unknown, {*listed}, [DiscrepancyKind.UNKNOWN_INVOICE], now=now)
        return len(listed)

    def _listed(
        self, provider: Provider, before_each: Callable[[], None], *, since: Millis
    ) -> dict[str, Invoice]:
        """The provider's invoices since then. Ours are asked about one by one if the list has no payments."""
        found = provider.invoices(since=since, seconds=CALL_SECONDS)
        listed = {invoice.id: invoice for invoice in _steps(found, before_each)}
        without = [each.id for each in listed.values() if each.paid is None and each.secret is not None]
        for invoice_id in _steps(without, before_each):
            with suppress(Unknown):
                if (invoice := provider.invoice(invoice_id, seconds=CALL_SECONDS)) is not None:
                    listed[invoice_id] = invoice
        return listed

    def _follow(self, deposit: Deposit, invoices: Sequence[Invoice], *, now: Millis) -> Deposit:
        """Do what polling would do, also for an invoice that came after the deposit had been given up.

        Returns the deposit as it is then.
        """
        for invoice in invoices:
            if not is_ours(invoice, deposit):
                continue
            if deposit.invoice_id is None and deposit.status in UNPAID and invoice.paid:
                self._deposits.adopt_late(deposit, invoice, now=now)
                deposit = deposits.get(deposit.id)
            if deposit.invoice_id == invoice.id:
                self._deposits.follow(deposit, invoice, now=now)
                deposit = deposits.get(deposit.id)
        return deposit

    def _compare_withdrawals(
        self, provider: Provider, before_each: Callable[[], None], *, since: Millis, now: Millis
    ) -> int:
        before_each()
        listed = {payout.id: payout for payout in provider.payouts(seconds=CALL_SECONDS)}
        alive = {
            each.withdrawal_id: each for each in listed.values() if each.state is not PayoutState.CANCELLED
        }
        differences: list[Difference] = []
        subjects: set[str] = set()
        for withdrawal in _steps(_rows(Withdrawal, Withdrawal.provider == provider.name, since), before_each):
            if withdrawal.status == WithdrawalStatus.REQUESTED and withdrawal.id in alive:
                # A restore has set it back. It must be approved, or its coins would be given back.
                subjects.add(withdrawal.id)
                label = alive[withdrawal.id].label
                differences.append(
                    Difference(DiscrepancyKind.WITHDRAWAL, withdrawal.id, withdrawal.status, label)
                )
            if withdrawal.payout_id is None or now - withdrawal.changed_at_ms < RECENT_MS:
                continue
            payout = listed.get(withdrawal.payout_id)
            if payout is None:
                payout = provider.payout(withdrawal.payout_id, seconds=CALL_SECONDS)
            if payout is not None and now - payout.created_at < RECENT_MS:
                continue
            subjects.add(withdrawal.id)
            differences += _differences_of_withdrawal(withdrawal, payout, now=now)
        _report(differences, subjects, WITHDRAWAL_KINDS, now=now)
        unknown: list[Difference] = []
        for some in peewee.chunked(_steps(listed.values(), before_each), ROWS_AT_ONCE):
            unknown += _unstored_payouts(list(some), now=now)
        _report(unknown, {*listed}, [DiscrepancyKind.UNKNOWN_PAYOUT], now=now)
        return len(listed)


DEPOSIT_KINDS = (
    DiscrepancyKind.DEPOSIT,
    DiscrepancyKind.INVOICE_MISSING,
    DiscrepancyKind.FOREIGN_INVOICE,
    DiscrepancyKind.SECOND_INVOICE,
)
WITHDRAWAL_KINDS = (DiscrepancyKind.WITHDRAWAL, DiscrepancyKind.PAYOUT_MISSING)


def _steps(things: Iterable[Thing], before_each: Callable[[], None]) -> Iterator[Thing]:
    """Yield these things, with pauses for other requests."""
    for thing in in_slices(things, SLICE):
        before_each()
        yield thing


def _rows(table: type[Row], condition: Any, since: Millis) -> Iterator[Row]:
    """The rows of a table since then, some at a time."""
    last = ""
    while True:
        with reading():
            query = table.select().where(condition, table.created_at_ms >= since, table.id > last)
            rows = list(query.order_by(table.id).limit(ROWS_AT_ONCE))
        yield from rows
        if len(rows) < ROWS_AT_ONCE:
            return
        last = rows[-1].id


def _is_recent(deposit: Deposit, invoices: Sequence[Invoice], *, now: Millis) -> bool:
    times = [deposit.changed_at_ms, *(invoice.changed_at for invoice in invoices)]
    return now - max(times) < RECENT_MS


def _unlisted_invoice(deposit: Deposit, provider: Provider) -> Invoice | None:
    """The deposit's invoice, if it is archived. Of what was not paid it does not matter."""
    if deposit.invoice_id is None or deposit.status in UNPAID:
        return None
    return provider.invoice(deposit.invoice_id, seconds=CALL_SECONDS)


def _differences_of_deposit(
    deposit: Deposit, invoices: Sequence[Invoice], invoice: Invoice | None
) -> Iterator[Difference]:
    """``invoices`` are those with its id, and ``invoice`` is its own."""
    if foreign := foreign_invoices(deposit, invoices):
        yield Difference(DiscrepancyKind.FOREIGN_INVOICE, deposit.id, NOT_OURS, foreign)
    for second in invoices:
        # Of several invoices that we made, only one was shown to the player.
        if second.id != deposit.invoice_id and second.paid and is_ours(second, deposit):
            yield Difference(
                DiscrepancyKind.SECOND_INVOICE, second.id, f"deposit {deposit.id}", _shown_invoice(second)
            )
    if deposit.invoice_id is None:
        return
    if deposit.is_decided_by_staff:
        yield from _money_after_decision(deposit, invoice)
        return
    if invoice is not None and not _agrees(deposit, invoice):
        ours, theirs = _shown_deposit(deposit), _shown_invoice(invoice)
        yield Difference(DiscrepancyKind.DEPOSIT, deposit.id, ours, theirs)
    # The provider may have deleted one that was not paid.
    if invoice is None and deposit.status not in UNPAID:
        yield Difference(
            DiscrepancyKind.INVOICE_MISSING, deposit.id, deposit.status, f"no invoice {deposit.invoice_id}"
        )


def _money_after_decision(deposit: Deposit, invoice: Invoice | None) -> Iterator[Difference]:
    """What was paid, if staff have neither credited that nor known of it."""
    paid = None if invoice is None else paid_cents(invoice, asked=Cents(deposit.amount_cents))
    credited = deposit.credited_cents or 0
    if paid is not None and paid not in (credited, deposit.decided_paid_cents):
        ours = f"{deposit.status}, credited {decimal_text(credited)}"
        yield Difference(DiscrepancyKind.DEPOSIT, deposit.id, ours, f"paid {decimal_text(paid)}")


@reading()
def _unknown_invoices(invoices: Sequence[Invoice]) -> list[Difference]:
    """Invoices with a secret, which only we make, and money, whose deposit is not here."""
    paid = [invoice for invoice in invoices if invoice.secret is not None and invoice.paid]
    ids = [invoice.order_id for invoice in paid]
    known = {row.id for row in Deposit.select(Deposit.id).where(Deposit.id.in_(ids))}
    return [
        Difference(
            DiscrepancyKind.UNKNOWN_INVOICE,
            invoice.id,
            "no deposit",
            _shown_invoice(invoice),
            invoice.platform_id,
        )
        for invoice in paid
        if invoice.order_id not in known
    ]


def _agrees(deposit: Deposit, invoice: Invoice) -> bool:
    outcome = outcome_of(invoice, asked=Cents(deposit.amount_cents))
    if outcome is None or not is_ours(invoice, deposit):
        # What was paid is not known, or somebody has changed the invoice.
        return is_ours(invoice, deposit)
    money_came = outcome.status in (DepositStatus.REVIEW, DepositStatus.CREDITED)
    match deposit.status:
        case DepositStatus.CREDITED:
            return outcome.credited == deposit.credited_cents
        case DepositStatus.REVIEW:
            return money_came
        case DepositStatus.EXPIRED | DepositStatus.FAILED:
            # One that the player has cancelled can still be paid at the provider.
            return not money_came
        case DepositStatus.CONFIRMING if outcome.status is DepositStatus.PENDING:
            # Its payment was not valid, and another may come.
            return True
    return bool(deposit.status == outcome.status)


def _differences_of_withdrawal(
    withdrawal: Withdrawal, payout: Payout | None, *, now: Millis
) -> Iterator[Difference]:
    if payout is None:
        yield Difference(
            DiscrepancyKind.PAYOUT_MISSING,
            withdrawal.id,
            withdrawal.status,
            f"no payout {withdrawal.payout_id}",
        )
    elif not has_terms_of(payout, withdrawal):
        yield Difference(DiscrepancyKind.WITHDRAWAL, withdrawal.id, *OTHER_TERMS)
    elif doubt := doubtful_cancellation(payout, withdrawal):
        yield Difference(DiscrepancyKind.WITHDRAWAL, withdrawal.id, *doubt)
    elif not agrees(payout, withdrawal) and not _is_polled_soon(withdrawal, now=now):
        yield Difference(DiscrepancyKind.WITHDRAWAL, withdrawal.id, withdrawal.status, payout.label)


def _is_polled_soon(withdrawal: Withdrawal, *, now: Millis) -> bool:
    """Whether the sending task is about to do the next step. It is not overdue."""
    due_at = withdrawal.poll_at_ms
    return withdrawal.status in UNDER_WAY and due_at is not None and now - due_at < RECENT_MS


def _unstored_payouts(payouts: Sequence[Payout], *, now: Millis) -> Iterator[Difference]:
    """Payouts whose withdrawals are not here, or have another. The sending task cancels the latter."""
    alive = [payout for payout in payouts if not payout.is_over]
    with reading():
        ids = [payout.withdrawal_id for payout in alive]
        rows = {row.id: row for row in Withdrawal.select().where(Withdrawal.id.in_(ids))}
    for payout in alive:
        withdrawal = rows.get(payout.withdrawal_id or "")
        if withdrawal is None:
            kind, theirs = DiscrepancyKind.UNKNOWN_PAYOUT, _shown_payout(payout)
            found = (payout.id, "no withdrawal", theirs, payout.platform_id, payout.destination)
            yield Difference(kind, *found)
        elif is_superfluous(payout, withdrawal):
            report_second(payout, withdrawal.id, now=now)


def _report(
    differences: Sequence[Difference], subjects: set[str], kinds: Sequence[DiscrepancyKind], *, now: Millis
) -> None:
    for each in differences:
        discrepancies.report(
            each.kind,
            each.subject,
            ours=each.ours,
            theirs=each.theirs,
            platform_id=each.platform_id,
            address=each.address,
            now=now,
        )
    for kind in kinds:
        found = [each.subject for each in differences if each.kind is kind]
        discrepancies.solve_others(kind, subjects=subjects, found=found, now=now)


def _shown_deposit(deposit: Deposit) -> str:
    cents = deposit.amount_cents if deposit.credited_cents is None else deposit.credited_cents
    return f"{deposit.status} {decimal_text(cents)}"


def _shown_invoice(invoice: Invoice) -> str:
    asked = "another amount" if invoice.amount is None else decimal_text(invoice.amount)
    paid = "an unknown amount" if invoice.paid is None else f"{invoice.paid:.2f}"
    return f"{invoice.label} {asked}, paid {paid}"


def _shown_payout(payout: Payout) -> str:
    amount = "another amount" if payout.amount is None else decimal_text(payout.amount)
    transaction = f", transaction {payout.txhash}" if payout.txhash else ""
    return f"{payout.label} {amount} {payout.currency}{transaction}"
