"""Sends approved withdrawals, in a way that can't pay twice.

One process at a time does it, under a lease. A process that was paused meanwhile and comes back does no
harm: a payout is prepared without being paid, its id is stored by a guarded update, and only a payout whose
id is stored is ever approved. Any other payout of a withdrawal is cancelled. Before one is prepared, the
provider is asked for those that exist: an answer may have been lost, or the database set back.
"""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import peewee

from models.db.connection import reading
from models.payments import Discrepancy, Withdrawal, WithdrawalStatus
from services.accounts import users
from services.payments import discrepancies, rows, withdrawals
from services.payments.discrepancies import DiscrepancyKind
from services.payments.errors import StatusChanged
from services.payments.hold import PayoutHold
from services.payments.payout_states import (
    bare_address,
    by_preference,
    doubtful_cancellation,
    has_terms_of,
    is_superfluous,
    transfer_of_payout,
)
from services.payments.provider import (
    CALL_SECONDS,
    Declined,
    NotDone,
    Payout,
    PayoutState,
    Provider,
    ProviderError,
)
from services.payments.registry import Providers
from services.shared.clock import MINUTE_MS, Millis
from services.shared.lease import Lease, LeaseLost

log = logging.getLogger("platform.payments")

MOST_AT_ONCE = 100
"""Withdrawals in one round."""

SLOW_AFTER_MS = 30 * MINUTE_MS

SECOND_EVERY_MS = 15_000
"""How often the cancelling of second payouts is tried."""

OTHER_TERMS = ("as requested", "another amount or address")
"""Ours and theirs of a discrepancy, without the address, which is a personal detail."""


class PayoutSender:
    """Takes each withdrawal from its approval to its end."""

    def __init__(self, providers: Providers, *, hold: PayoutHold, clock: Callable[[], Millis]) -> None:
        self._providers = providers
        self._hold = hold
        # A round may take long, and each change has its own time.
        self._clock = clock
        self._lease = Lease("payout sending")
        self._listed: dict[str, Sequence[Payout]] = {}
        """The payouts of each provider at the beginning of this round. Only this process makes others."""
        self._second_due_at = Millis(0)

    def run(self, *, now: Millis) -> list[ProviderError]:
        """Do the next step of each withdrawal that is due, if this process has the lease or gets it.

        Returns the errors of the provider. Raises LeaseLost when another process has taken over.
        """
        due = self._due(now)
        second: list[Discrepancy] = []
        if now >= self._second_due_at:
            second = discrepancies.open_discrepancies(DiscrepancyKind.SECOND_PAYOUT)
        if not (due or second) or not self._lease.acquire():
            return []
        self._listed = {}
        return self._advance_all(self._unless_held(due)) + self._cancel_all_second(second)

    def release(self) -> None:
        """Let another process take over at once."""
        self._lease.release()

    @reading()
    def _due(self, now: Millis) -> list[Withdrawal]:
        """Those of one time in the order of their requests, which is that of their ledger transactions."""
        due = Withdrawal.select().where(Withdrawal.poll_at_ms <= now)
        return list(due.order_by(Withdrawal.poll_at_ms, Withdrawal.hold).limit(MOST_AT_ONCE))

    def _unless_held(self, due: list[Withdrawal]) -> list[Withdrawal]:
        """While withdrawals are held, only those that have a payout, which is followed."""
        if self._hold.current() is None:
            return due
        return [withdrawal for withdrawal in due if withdrawal.payout_id is not None]

    def _advance_all(self, due: list[Withdrawal]) -> list[ProviderError]:
        errors: list[ProviderError] = []
        for withdrawal in due:
            try:
                self._advance(withdrawal)
            except ProviderError as error:
                log.warning("withdrawal not sent: %s", error, extra={"withdrawal": withdrawal.id})
                errors.append(error)
                if not error.is_about_this_only:
                    # The others would fail too. Their turn comes first in the next round.
                    break
            except StatusChanged:
                log.info("withdrawal changed meanwhile", extra={"withdrawal": withdrawal.id})
            except (peewee.IntegrityError, peewee.DataError):
                # The others must not wait for this one.
                log.exception("withdrawal not changed", extra={"withdrawal": withdrawal.id})
        return errors

    def _advance(self, withdrawal: Withdrawal) -> None:
        # Whatever happens now, the next step comes later.
        longest_wait = self._providers.longest_wait(withdrawal.provider)
        self._note(withdrawal, **rows.next_poll(self._clock(), withdrawal.poll_wait_ms, longest_wait))
        provider = self._providers.by_name.get(withdrawal.provider)
        if provider is None:
            return
        if withdrawal.status == WithdrawalStatus.APPROVED:
            self._write(withdrawal, status=WithdrawalStatus.SENDING, sending_since_ms=self._clock())
        if withdrawal.payout_id is None:
            payout = self._prepare(withdrawal, provider)
        else:
            payout = provider.get_payout(withdrawal.payout_id)
        if payout is None:
            return
        # One that was cancelled pays nothing, whatever it says.
        if payout.state is PayoutState.CANCELLED or has_terms_of(payout, withdrawal):
            self._follow(withdrawal, payout, provider)
        else:
            self._report(withdrawal, *OTHER_TERMS)

    def _prepare(self, withdrawal: Withdrawal, provider: Provider) -> Payout | None:
        """Find or make the withdrawal's payout, not approved, and store its id."""
        payout = self._find(withdrawal, provider) or self._make(withdrawal, provider)
        if payout is None:
            return None
        try:
            self._write(withdrawal, payout_id=payout.id)
        except (StatusChanged, LeaseLost):
            # Another process has taken over while the provider was asked.
            report_second(payout, withdrawal.id, now=self._clock())
            raise
        return payout

    def _find(self, withdrawal: Withdrawal, provider: Provider) -> Payout | None:
        """The payout that was made for this withdrawal already, if there is one. Others are cancelled."""
        if provider.name not in self._listed:
            self._renew()
            self._listed[provider.name] = provider.list_payouts()
        made = by_preference(self._listed[provider.name], withdrawal.id)
        for second in made[1:]:
            report_second(second, withdrawal.id, now=self._clock())
            self._cancel(second, provider)
        return made[0] if made else None

    def _make(self, withdrawal: Withdrawal, provider: Provider) -> Payout | None:
        """Make a payout. If the provider refuses, the withdrawal has failed, since none was approved."""
        nothing_holds = self._hold.holds_nothing()
        self._note(withdrawal, only_if=nothing_holds, payouts_asked=withdrawal.payouts_asked + 1)
        try:
            player = users.get_by_id(withdrawal.user_id)
            return provider.create_payout(withdrawal, platform_id=player.platform_id)
        except Declined as error:
            with self._lease.fenced():
                withdrawals.release(withdrawal, WithdrawalStatus.FAILED, reason=str(error), now=self._clock())
            return None
        except NotDone as error:
            if error.is_about_this_only:
                self._report_late(self._listed[provider.name], withdrawal)
            raise

    def _report_late(self, payouts: Sequence[Payout], withdrawal: Withdrawal) -> None:
        """Have payouts to this withdrawal's address cancelled that came too late for their own withdrawals.

        A provider may allow only one open payout for each address.
        """
        address = bare_address(withdrawal.destination)
        for payout in payouts:
            if payout.state is PayoutState.UNAPPROVED and bare_address(payout.destination) == address:
                other = _withdrawal_of(payout)
                if other is not None and is_superfluous(payout, other):
                    report_second(payout, other.id, now=self._clock())

    def _report(self, withdrawal: Withdrawal, ours: str, theirs: str) -> None:
        discrepancies.report(
            DiscrepancyKind.WITHDRAWAL, withdrawal.id, ours=ours, theirs=theirs, now=self._clock()
        )

    def _follow(self, withdrawal: Withdrawal, payout: Payout, provider: Provider) -> None:
        match payout.state:
            case PayoutState.UNAPPROVED:
                self._approve(withdrawal, payout, provider)
            case PayoutState.APPROVED | PayoutState.IN_PROGRESS:
                if payout.state is PayoutState.IN_PROGRESS and withdrawal.in_progress_since_ms is None:
                    self._note(withdrawal, in_progress_since_ms=self._clock())
                self._mark_sent(withdrawal)
            case PayoutState.COMPLETED:
                with self._lease.fenced():
                    withdrawals.complete(
                        withdrawal, transfer_of_payout(payout, withdrawal), now=self._clock()
                    )
                discrepancies.solve(DiscrepancyKind.WITHDRAWAL, withdrawal.id, now=self._clock())
            case PayoutState.CANCELLED:
                if doubt := doubtful_cancellation(payout, withdrawal):
                    self._report(withdrawal, *doubt)
                    return
                with self._lease.fenced():
                    reason = "the payout was cancelled"
                    withdrawals.release(withdrawal, WithdrawalStatus.FAILED, reason=reason, now=self._clock())

    def _approve(self, withdrawal: Withdrawal, payout: Payout, provider: Provider) -> None:
        """Approve the stored payout, after all others of this withdrawal are cancelled."""
        if withdrawal.payouts_asked > 1:
            for second in provider.list_payouts():
                if second.withdrawal_id == withdrawal.id and second.id != payout.id:
                    report_second(second, withdrawal.id, now=self._clock())
                    self._cancel(second, provider)
        # Nobody has ended it, nothing holds withdrawals, and this process has the lease.
        self._note(withdrawal, only_if=self._hold.holds_nothing())
        try:
            provider.approve(payout)
        except Declined:
            # Once it is cancelled, the next round gives the coins back.
            provider.cancel(payout.id)
            return
        self._mark_sent(withdrawal)

    def _cancel(self, payout: Payout, provider: Provider) -> None:
        if payout.state is not PayoutState.CANCELLED:
            self._renew()
            provider.cancel(payout.id)

    def _mark_sent(self, withdrawal: Withdrawal) -> None:
        if withdrawal.status == WithdrawalStatus.SENDING:
            times = rows.first_poll(self._clock(), self._providers.first_wait(withdrawal.provider))
            self._write(withdrawal, status=WithdrawalStatus.SENT, **times)

    def _cancel_all_second(self, second: list[Discrepancy]) -> list[ProviderError]:
        errors: list[ProviderError] = []
        for discrepancy in second:
            try:
                self._cancel_second(discrepancy)
            except ProviderError as error:
                log.warning("second payout not cancelled: %s", error, extra={"payout": discrepancy.subject})
                errors.append(error)
        if second:
            self._second_due_at = Millis(self._clock() + SECOND_EVERY_MS)
        return errors

    def _cancel_second(self, discrepancy: Discrepancy) -> None:
        """Cancel a payout that is not its withdrawal's, and close the discrepancy when that is known."""
        for provider in self._providers.by_name.values():
            payout = provider.get_payout(discrepancy.subject)
            withdrawal = None if payout is None else _withdrawal_of(payout)
            if payout is None or withdrawal is None or not is_superfluous(payout, withdrawal):
                continue
            if payout.state in (PayoutState.UNAPPROVED, PayoutState.APPROVED):
                self._cancel(payout, provider)
            elif not payout.is_over:
                # Somebody has paid it at the provider: staff must look at that.
                report_second(payout, withdrawal.id, now=self._clock())
                return
        discrepancies.solve(DiscrepancyKind.SECOND_PAYOUT, discrepancy.subject, now=self._clock())

    def _write(self, withdrawal: Withdrawal, **changes: Any) -> None:
        """Change the row if it is as ``withdrawal`` shows it, and this process still has the lease.

        Raises StatusChanged and LeaseLost.
        """
        self._note(withdrawal, now=self._clock(), **changes)

    def _note(
        self, withdrawal: Withdrawal, *, now: Millis | None = None, only_if: Any = True, **changes: Any
    ) -> None:
        """As ``_write``, for a change that players do not see."""
        with self._lease.fenced(seconds=CALL_SECONDS):
            withdrawals.change(withdrawal, now=now, only_if=only_if, **changes)
        for name, value in changes.items():
            setattr(withdrawal, name, value)

    def _renew(self) -> None:
        """Keep the lease during the next call. Raises LeaseLost."""
        with self._lease.fenced(seconds=CALL_SECONDS):
            pass


def report_second(payout: Payout, withdrawal_id: str, *, now: Millis) -> None:
    """Open a discrepancy for a payout that is not the withdrawal's, unless it is cancelled for certain.

    The next round cancels it and closes the discrepancy.
    """
    if not payout.is_over:
        ours = f"not the payout of withdrawal {withdrawal_id}"
        discrepancies.report(
            DiscrepancyKind.SECOND_PAYOUT, payout.id, ours=ours, theirs=payout.label, now=now
        )


def report_slow(*, now: Millis) -> None:
    """Report what is being sent for longer than half an hour. It is never given back because of that."""
    with reading():
        query = Withdrawal.select().where(Withdrawal.status == WithdrawalStatus.SENDING)
        slow = [row.id for row in query.where(Withdrawal.sending_since_ms < now - SLOW_AFTER_MS)]
    kind = DiscrepancyKind.SLOW_WITHDRAWAL
    for withdrawal_id in slow:
        discrepancies.report(kind, withdrawal_id, ours=WithdrawalStatus.SENDING, theirs="not known", now=now)
    reported = [discrepancy.subject for discrepancy in discrepancies.open_discrepancies(kind)]
    discrepancies.solve_others(kind, subjects=reported, found=slow, now=now)


@reading()
def _withdrawal_of(payout: Payout) -> Withdrawal | None:
    return Withdrawal.get_or_none(Withdrawal.id == payout.withdrawal_id)
