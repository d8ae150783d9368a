"""What a payout means for its withdrawal. Nothing here writes."""

from collections.abc import Iterable
from typing import Any

from models.payments import PaymentRecord, Withdrawal, WithdrawalStatus
from services.payments.provider import USD, Payout, PayoutState
from services.payments.transfers import Transfer
from services.payments.withdrawals import HELD, RELEASED, UNDER_WAY

AGREEING = {
    PayoutState.UNAPPROVED: (WithdrawalStatus.SENDING,),
    PayoutState.APPROVED: UNDER_WAY,
    PayoutState.IN_PROGRESS: UNDER_WAY,
    PayoutState.COMPLETED: (WithdrawalStatus.COMPLETED,),
    PayoutState.CANCELLED: (WithdrawalStatus.FAILED,),
}
"""The statuses of a withdrawal that fit its payout."""

ADOPTED_LATER = {PayoutState.UNAPPROVED: 1, PayoutState.CANCELLED: 2}
"""The order in which the payouts of one withdrawal are adopted; others come first."""


def by_preference(payouts: Iterable[Payout], withdrawal_id: str) -> list[Payout]:
    """The payouts of a withdrawal; the first one is adopted.

    It is one that staff have approved at the provider, if there is one. A cancelled one comes last: it is
    adopted if there is no other, since then staff have cancelled it.
    """
    return sorted(
        (payout for payout in payouts if payout.withdrawal_id == withdrawal_id),
        key=lambda payout: (ADOPTED_LATER.get(payout.state, 0), payout.created_at, payout.id),
    )


def has_terms_of(payout: Payout, withdrawal: Withdrawal) -> bool:
    """Whether the payout pays what was asked for: the amount in USD, to this address, by this method."""
    theirs = (payout.withdrawal_id, payout.currency, payout.amount, payout.method)
    ours: Any = (withdrawal.id, USD, withdrawal.amount_cents, withdrawal.method)
    return theirs == ours and bare_address(payout.destination) == bare_address(withdrawal.destination)


def bare_address(text: str) -> str:
    """The address in a URI such as ``bitcoin:…?amount=1``, whose rest a provider may write otherwise.

    In lower case, if it is all in upper case, as in QR codes.
    """
    address = text.partition("?")[0].rpartition(":")[2]
    return address.lower() if address.isupper() else address


def is_superfluous(payout: Payout, withdrawal: Withdrawal) -> bool:
    """Whether the payout must be cancelled: it is not the withdrawal's, or waits although that is over."""
    if withdrawal.payout_id is None and withdrawal.status in HELD:
        # The next look-up may store it.
        return False
    if withdrawal.payout_id != payout.id:
        return True
    return withdrawal.status in RELEASED and payout.state is PayoutState.UNAPPROVED


def doubtful_cancellation(payout: Payout, withdrawal: Withdrawal) -> tuple[str, str] | None:
    """Ours and theirs of a discrepancy, if the payout was cancelled and may have been paid all the same.

    A transfer that was begun may arrive. So the coins are held until staff know.
    """
    if payout.state is not PayoutState.CANCELLED or withdrawal.status not in UNDER_WAY:
        return None
    was_begun = payout.has_transfer or withdrawal.in_progress_since_ms is not None
    return (withdrawal.status, f"{payout.label} after it was in progress") if was_begun else None


def agrees(payout: Payout, withdrawal: Withdrawal) -> bool:
    """Whether the statuses fit."""
    # Staff complete what they have paid in another way, with a reason.
    is_ended_by_staff = withdrawal.status == WithdrawalStatus.COMPLETED and bool(withdrawal.reason)
    is_cancelled = payout.state is PayoutState.CANCELLED
    return withdrawal.status in AGREEING[payout.state] or (is_cancelled and is_ended_by_staff)


def transfer_of_payout(payout: Payout, withdrawal: Withdrawal) -> Transfer:
    """The payment's description of a completed payout."""
    return Transfer(
        chain=payout.method,
        asset=payout.asset,
        amount=payout.asset_amount,
        txhash=payout.txhash,
        # An address may be longer than the column. The withdrawal has all of it.
        to=withdrawal.destination[: PaymentRecord.to.max_length],
    )
