"""What staff decide: requests, deposits in review, and withdrawals that can't end by themselves."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from models.db.connection import writing
from models.payments import Deposit, DepositStatus, Withdrawal, WithdrawalStatus
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import AuditEventType
from services.payments import deposits, discrepancies, rows, withdrawals
from services.payments.discrepancies import DiscrepancyKind
from services.payments.errors import StatusChanged
from services.payments.hold import check_not_held
from services.payments.payout_states import by_preference, transfer_of_payout
from services.payments.provider import Payout, PayoutState, ProviderError
from services.payments.registry import Providers
from services.payments.transfers import Transfer
from services.payments.withdrawals import UNDER_WAY
from services.rewards.bonuses import Bonuses
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.shared.text import checked_reason
from settings import Settings


class StaffDecisions:
    """Each decision has a reason, for the audit trail.

    All raise PaymentNotFound, and Refusal for another status, a bad reason, or a change that another
    process has made meanwhile.
    """

    def __init__(self, providers: Providers, settings: Settings, *, bonuses: Bonuses) -> None:
        self._providers = providers
        self._bonuses = bonuses
        self._needs_check = bool(settings.withdrawal_check_url)

    def approve(self, *, withdrawal_id: str, reason: str, now: Millis) -> Withdrawal:
        """Approve a request, after the operator's check has answered, if there is one."""
        reason = checked_reason(reason)
        withdrawal = rows.get(Withdrawal, withdrawal_id)
        _require(withdrawal, WithdrawalStatus.REQUESTED)
        if self._needs_check and withdrawal.check_decision is None:
            raise Refusal("the withdrawal has not been checked yet")
        times = rows.poll_now(now, self._providers.first_wait(withdrawal.provider))
        approved = {"status": WithdrawalStatus.APPROVED, "reason": reason}
        with _refusing_concurrent_change(), writing():
            withdrawals.change(withdrawal, now=now, **approved, **times)
            withdrawals.record_event(AuditEventType.WITHDRAWAL_APPROVED, withdrawal, now=now, reason=reason)
        return rows.get(Withdrawal, withdrawal_id)

    def reject(self, *, withdrawal_id: str, reason: str, now: Millis) -> Withdrawal:
        """Reject a request, and give the coins back. Not one that may have been paid before a restore."""
        reason = checked_reason(reason)
        withdrawal = rows.get(Withdrawal, withdrawal_id)
        _require(withdrawal, WithdrawalStatus.REQUESTED)
        check_not_held()
        if discrepancies.is_open(DiscrepancyKind.WITHDRAWAL, withdrawal_id):
            raise Refusal("the provider has a payout for it; approve it, and it ends as the payout does")
        with _refusing_concurrent_change():
            withdrawals.release(withdrawal, WithdrawalStatus.REJECTED, reason=reason, now=now)
        return rows.get(Withdrawal, withdrawal_id)

    def credit(self, *, deposit_id: str, usd: Cents, reason: str, now: Millis) -> Deposit:
        """Credit a deposit in review. The provider's state does not matter for it any more."""
        reason = checked_reason(reason)
        if usd <= 0:
            raise Refusal("USD must be more than 0")
        deposit = rows.get(Deposit, deposit_id)
        _require(deposit, DepositStatus.REVIEW)
        # The txhash is left out: another payment may have it.
        transfer = Transfer(chain=deposit.method)
        offering: dict[str, Any] = {"bonuses": self._bonuses, "now": now, "reason": reason}
        with _refusing_concurrent_change(), writing():
            deposits.credit(deposit, usd, transfer, **offering, **_decided(deposit))
        return rows.get(Deposit, deposit_id)

    def fail_deposit(self, *, deposit_id: str, reason: str, now: Millis) -> Deposit:
        """End a deposit in review without crediting it."""
        reason = checked_reason(reason)
        deposit = rows.get(Deposit, deposit_id)
        _require(deposit, DepositStatus.REVIEW)
        failed = {"status": DepositStatus.FAILED, "reason": reason}
        after = {"deposit": deposit.id, "reason": reason}
        with _refusing_concurrent_change(), writing():
            deposits.change(deposit, now=now, **failed, **_decided(deposit))
            audit_trail.record(AuditEventType.DEPOSIT_FAILED, now=now, user_id=deposit.user_id, after=after)
        return rows.get(Deposit, deposit_id)

    def fail_withdrawal(self, *, withdrawal_id: str, reason: str, now: Millis) -> Withdrawal:
        """Give back the coins of a withdrawal that is being sent.

        Only if the provider has no payout for it that may be paid.
        """
        reason = checked_reason(reason)
        withdrawal = rows.get(Withdrawal, withdrawal_id)
        _require(withdrawal, *UNDER_WAY)
        for payout in self._payouts_of(withdrawal):
            if payout.state is not PayoutState.CANCELLED:
                raise Refusal(f"the provider has the payout {payout.id}, which is {payout.label}")
        with _refusing_concurrent_change():
            withdrawals.release(withdrawal, WithdrawalStatus.FAILED, reason=reason, now=now)
        discrepancies.solve(DiscrepancyKind.WITHDRAWAL, withdrawal.id, now=now)
        return rows.get(Withdrawal, withdrawal_id)

    def complete(self, *, withdrawal_id: str, reason: str, now: Millis) -> Withdrawal:
        """End a withdrawal that staff have paid in another way, or whose payout was changed and paid.

        Not while the provider has a payout for it that may still be paid.
        """
        reason = checked_reason(reason)
        withdrawal = rows.get(Withdrawal, withdrawal_id)
        _require(withdrawal, *UNDER_WAY)
        paid: Payout | None = None
        for payout in self._payouts_of(withdrawal):
            if payout.state is PayoutState.COMPLETED:
                paid = paid or payout
            elif payout.state is not PayoutState.CANCELLED:
                raise Refusal(f"the provider has the payout {payout.id}, which is {payout.label}")
        transfer = transfer_of_payout(paid, withdrawal) if paid else Transfer(chain=withdrawal.method)
        with _refusing_concurrent_change():
            withdrawals.complete(withdrawal, transfer, now=now, reason=reason)
        discrepancies.solve(DiscrepancyKind.WITHDRAWAL, withdrawal.id, now=now)
        return rows.get(Withdrawal, withdrawal_id)

    def _payouts_of(self, withdrawal: Withdrawal) -> list[Payout]:
        provider = self._providers.by_name.get(withdrawal.provider)
        if provider is None:
            raise Refusal(f"PAYMENT_METHODS does not name {withdrawal.provider}")
        try:
            found = by_preference(provider.list_payouts(), withdrawal.id)
            # A list may be older than the answer to this.
            stored = withdrawal.payout_id and provider.get_payout(withdrawal.payout_id)
        except ProviderError as error:
            raise Refusal(str(error)) from None
        return [*found, stored] if stored else found


def _decided(deposit: Deposit) -> dict[str, Any]:
    """The columns of a deposit about which staff have decided."""
    return {"is_decided_by_staff": True, "decided_paid_cents": deposit.paid_cents}


def _require(row: Deposit | Withdrawal, *statuses: str) -> None:
    if row.status not in statuses:
        kind = "deposit" if isinstance(row, Deposit) else "withdrawal"
        raise Refusal(f"the {kind} is {row.status}, not {' or '.join(statuses)}")


@contextmanager
def _refusing_concurrent_change() -> Iterator[None]:
    """Raise Refusal if another process has changed the row. Around the transaction, which is rolled back."""
    try:
        yield
    except StatusChanged:
        raise Refusal("another process has changed it meanwhile; look at it again") from None
