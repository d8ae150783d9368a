"""What staff decide: requests, deposits in review, and withdrawals that can't end by themselves."""

from models.db.connection import writing
from models.payments import Deposit, Withdrawal
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.payments import deposits, discrepancies, withdrawals
from services.payments.deposit_states import DepositStatus
from services.payments.discrepancies import DiscrepancyKind
from services.payments.errors import PaymentNotFound, StatusChanged
from services.payments.hold import check_not_held
from services.payments.methods import PaymentMethods
from services.payments.payout_states import by_preference, transfer_of
from services.payments.polling_times import at_once
from services.payments.provider import CALL_SECONDS, Payout, PayoutState, ProviderError
from services.payments.transfers import Transfer
from services.payments.withdrawals import UNDER_WAY, WithdrawalStatus
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

    def __init__(self, methods: PaymentMethods, settings: Settings) -> None:
        self._methods = methods
        self._needs_check = bool(settings.withdrawal_check_url)

    def approve(self, *, withdrawal_id: str, reason: str, now: Millis) -> Withdrawal:
        """Approve a request, after the operator's check has answered, if there is one."""
        reason = checked_reason(reason)
        withdrawal = withdrawals.get(withdrawal_id)
        _require(withdrawal, WithdrawalStatus.REQUESTED)
        if self._needs_check and withdrawal.check_decision is None:
            raise Refusal("the withdrawal has not been checked yet")
        times = at_once(now, self._methods.first_wait(withdrawal.provider))
        try:
            with writing():
                withdrawals.change(
                    withdrawal, now=now, status=WithdrawalStatus.APPROVED, reason=reason, **times
                )
                withdrawals.record_event(
                    AuditEventType.WITHDRAWAL_APPROVED, withdrawal, now=now, reason=reason
                )
        except StatusChanged:
            raise _changed_meanwhile() from None
        return withdrawals.get(withdrawal_id)

    def reject(self, *, withdrawal_id: str, reason: str, now: Millis) -> Withdrawal:
        """Reject a request, and give the coins back. Not one that may have been paid before a restore."""
        reason = checked_reason(reason)
        withdrawal = withdrawals.get(withdrawal_id)
        _require(withdrawal, WithdrawalStatus.REQUESTED)
        check_not_held()
        if discrepancies.is_open(DiscrepancyKind.WITHDRAWAL, withdrawal_id):
            raise Refusal("the provider has a payout for it; approve it, and it ends as the payout does")
        _release(withdrawal, WithdrawalStatus.REJECTED, reason, now)
        return withdrawals.get(withdrawal_id)

    def credit(self, *, deposit_id: str, usd: Cents, reason: str, now: Millis) -> Deposit:
        """Credit a deposit in review. The provider's state does not matter for it any more."""
        reason = checked_reason(reason)
        if usd <= 0:
            raise Refusal("USD must be more than 0")
        deposit = deposits.get(deposit_id)
        _require(deposit, DepositStatus.REVIEW)
        # Without the txhash, which another payment may have.
        transfer, event = Transfer(chain=deposit.method), {"reason": reason}
        try:
            with writing():
                decided = {"is_decided_by_staff": True, "decided_paid_cents": deposit.paid_cents}
                deposits.credit(deposit, usd, transfer, now=now, event=event, reason=reason, **decided)
        except StatusChanged:
            raise _changed_meanwhile() from None
        return deposits.get(deposit_id)

    def fail_deposit(self, *, deposit_id: str, reason: str, now: Millis) -> Deposit:
        """End a deposit in review without crediting it."""
        return _fail_deposit(deposits.get(deposit_id), checked_reason(reason), now)

    def fail(self, *, payment_id: str, reason: str, now: Millis) -> Deposit | Withdrawal:
        """End a deposit in review without crediting it, or give back the coins of a withdrawal.

        A withdrawal that is being sent fails only if the provider has no payout for it that may be paid.
        """
        reason = checked_reason(reason)
        try:
            return _fail_deposit(deposits.get(payment_id), reason, now)
        except PaymentNotFound:
            withdrawal = withdrawals.get(payment_id)
        _require(withdrawal, *UNDER_WAY)
        for payout in self._payouts_of(withdrawal):
            if payout.state is not PayoutState.CANCELLED:
                raise Refusal(f"the provider has the payout {payout.id}, which is {payout.label}")
        _release(withdrawal, WithdrawalStatus.FAILED, reason, now)
        discrepancies.solve(DiscrepancyKind.WITHDRAWAL, withdrawal.id, now=now)
        return withdrawals.get(payment_id)

    def complete(self, *, withdrawal_id: str, reason: str, now: Millis) -> Withdrawal:
        """End a withdrawal that staff have paid in another way, or whose payout was changed and paid.

        Not while the provider has a payout for it that may still be paid.
        """
        reason = checked_reason(reason)
        withdrawal = withdrawals.get(withdrawal_id)
        _require(withdrawal, *UNDER_WAY)
        paid: Payout | None = None
        for payout in self._payouts_of(withdrawal):
            if payout.state is PayoutState.COMPLETED:
                paid = paid or payout
            elif payout.state is not PayoutState.CANCELLED:
                raise Refusal(f"the provider has the payout {payout.id}, which is {payout.label}")
        transfer = transfer_of(paid, withdrawal) if paid else Transfer(chain=withdrawal.method)
        try:
            withdrawals.complete(withdrawal, transfer, now=now, reason=reason)
        except StatusChanged:
            raise _changed_meanwhile() from None
        discrepancies.solve(DiscrepancyKind.WITHDRAWAL, withdrawal.id, now=now)
        return withdrawals.get(withdrawal_id)

    def _payouts_of(self, withdrawal: Withdrawal) -> list[Payout]:
        provider = self._methods.providers.get(withdrawal.provider)
        if provider is None:
            raise Refusal(f"PAYMENT_METHODS does not name {withdrawal.provider}")
        try:
            found = by_preference(provider.payouts(seconds=CALL_SECONDS), withdrawal.id)
            # A list may be older than the answer to this.
            stored = withdrawal.payout_id and provider.payout(withdrawal.payout_id, seconds=CALL_SECONDS)
        except ProviderError as error:
            raise Refusal(str(error)) from None
        return [*found, stored] if stored else found


def _fail_deposit(deposit: Deposit, reason: str, now: Millis) -> Deposit:
    _require(deposit, DepositStatus.REVIEW)
    try:
        with writing():
            decided = {"is_decided_by_staff": True, "decided_paid_cents": deposit.paid_cents}
            deposits.change(deposit, now=now, status=DepositStatus.FAILED, reason=reason, **decided)
            user_id: int = deposit.user_id  # type: ignore[attr-defined]  # made by peewee
            after = {"deposit": deposit.id, "reason": reason}
            record(AuditEventType.DEPOSIT_FAILED, now=now, user_id=user_id, after=after)
    except StatusChanged:
        raise _changed_meanwhile() from None
    return deposits.get(deposit.id)


def _release(withdrawal: Withdrawal, status: WithdrawalStatus, reason: str, now: Millis) -> None:
    try:
        withdrawals.release(withdrawal, status, reason=reason, now=now)
    except StatusChanged:
        raise _changed_meanwhile() from None


def _require(row: Deposit | Withdrawal, *statuses: str) -> None:
    if row.status not in statuses:
        kind = "deposit" if isinstance(row, Deposit) else "withdrawal"
        raise Refusal(f"the {kind} is {row.status}, not {' or '.join(statuses)}")


def _changed_meanwhile() -> Refusal:
    return Refusal("another process has changed it meanwhile; look at it again")
