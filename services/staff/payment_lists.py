"""What staff must look at of payments and prizes, and what helps to decide about it."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from peewee import fn

from models.bets import Prize
from models.db.connection import reading
from models.payments import (
    Deposit,
    DepositStatus,
    Discrepancy,
    PaymentRecord,
    PaymentType,
    WebhookDelivery,
    Withdrawal,
    WithdrawalStatus,
)
from models.staff import Proposal
from models.users import User
from services.payments import rows as payment_rows
from services.payments.withdrawals import HELD
from services.shared.clock import Millis
from services.shared.pagination import Place
from services.staff import proposals
from services.staff.money_actions import ApproveWithdrawal, CreditDeposit
from services.staff.player_lists import Part, part_of
from services.wallet.prizes import Status as PrizeStatus

OPEN = tuple(str(status) for status in HELD)
"""The statuses of withdrawals that are not ended; there are never many of these."""

ALL = "all"
"""In the place of a status."""


ORDERS = ("age", "amount")
"""By what a list of withdrawals can be sorted."""


@dataclass
class PaymentHistory:
    """What a player has paid, played and been paid."""

    wagered_cents: int
    deposits: int = 0
    deposited_cents: int = 0
    payouts: int = 0
    paid_out_cents: int = 0
    rejected: int = 0
    """Withdrawals."""


@dataclass
class WithdrawalRow:
    """A withdrawal with what helps to decide, and the open proposal to approve it."""

    withdrawal: Withdrawal
    player: User
    history: PaymentHistory
    proposal: Proposal | None


@reading()
def queue(*, status: str, order: str, is_descending: bool, place: Place, now: Millis) -> Part:
    """A part of the withdrawals with a status, or of all, each a WithdrawalRow.

    Those that may be ended are sorted by the time of their last change only, because there may be millions.
    """
    by: Any = Withdrawal.amount_cents if order == "amount" else Withdrawal.changed_at_ms
    if status in OPEN and order == "age":
        by = Withdrawal.created_at_ms
    if status not in OPEN:
        by = Withdrawal.changed_at_ms
    query: Any = Withdrawal.select(Withdrawal, User).join(User)
    if status != ALL:
        query = query.where(Withdrawal.status == status)
    first = by.desc() if is_descending else by.asc()
    part = part_of(query.order_by(first, Withdrawal.id), place)
    return Part(_with_histories(part.rows, now=now), part.has_next)


@reading()
def withdrawal(withdrawal_id: str, *, now: Millis) -> WithdrawalRow:
    """One withdrawal as in the queue. Raises PaymentNotFound."""
    (row,) = _with_histories([payment_rows.get(Withdrawal, withdrawal_id)], now=now)
    return row


def _with_histories(rows: list[Withdrawal], *, now: Millis) -> list[WithdrawalRow]:
    players = {row.user.id: row.user for row in rows}
    histories = {id_: PaymentHistory(player.wagered_cents) for id_, player in players.items()}
    ids = list(players)
    sums = (fn.COUNT(PaymentRecord.id), fn.SUM(PaymentRecord.usd_cents))
    paid: Any = PaymentRecord.select(PaymentRecord.user, PaymentRecord.type, *sums).where(
        PaymentRecord.user.in_(ids)
    )
    for user_id, type_, number, cents in paid.group_by(PaymentRecord.user, PaymentRecord.type).tuples():
        history = histories[user_id]
        if type_ == PaymentType.DEPOSIT:
            history.deposits, history.deposited_cents = number, int(cents)
        else:
            history.payouts, history.paid_out_cents = number, int(cents)
    is_rejected = Withdrawal.user.in_(ids) & (Withdrawal.status == WithdrawalStatus.REJECTED)
    rejected: Any = Withdrawal.select(Withdrawal.user, fn.COUNT(Withdrawal.id)).where(is_rejected)
    for user_id, number in rejected.group_by(Withdrawal.user).tuples():
        histories[user_id].rejected = number
    proposed = _proposed(ApproveWithdrawal.name, "withdrawal", now=now)
    return [WithdrawalRow(row, row.user, histories[row.user.id], proposed.get(row.id)) for row in rows]


def _proposed(action: str, argument: str, *, now: Millis) -> dict[str, Proposal]:
    """The open proposals of an action, by an argument of theirs."""
    found = proposals.open_of(action=action, now=now)
    return {proposals.arguments_of(proposal)[argument]: proposal for proposal in found}


@reading()
def in_review(*, place: Place) -> Part:
    """A part of the deposits that staff must decide about, oldest first."""
    query: Any = Deposit.select(Deposit, User).join(User).where(Deposit.status == DepositStatus.REVIEW)
    return part_of(query.order_by(Deposit.changed_at_ms, Deposit.id), place)


@reading()
def deposit(deposit_id: str, *, now: Millis) -> tuple[Deposit, Proposal | None]:
    """One deposit, and the open proposal to credit it. Raises PaymentNotFound."""
    found = payment_rows.get(Deposit, deposit_id)
    found.user  # noqa: B018  # read while there is a connection
    return found, _proposed(CreditDeposit.name, "deposit", now=now).get(deposit_id)


@reading()
def discrepancies(*, place: Place) -> Part:
    """A part of the open discrepancies, oldest first."""
    query: Any = Discrepancy.select().where(Discrepancy.solved_at_ms.is_null())
    return part_of(query.order_by(Discrepancy.id), place)


@reading()
def failed_webhooks(*, place: Place) -> Part:
    """A part of the messages whose processing has failed, newest first."""
    query: Any = WebhookDelivery.select().where(WebhookDelivery.error.is_null(False))
    return part_of(query.order_by(WebhookDelivery.id.desc()), place)


class Waiting(NamedTuple):
    """How much waits for staff, and since when the first of it does; None where that is not known."""

    number: int
    since_ms: int | None = None


class OpenWork(NamedTuple):
    """What waits for staff, but for proposals."""

    withdrawals: Waiting
    deposits: Waiting
    discrepancies: Waiting
    prizes: Waiting


@reading()
def open_work() -> OpenWork:
    """Withdrawals to approve or reject, deposits in review, open discrepancies, and prizes to ship."""

    def waiting(table: Any, since: Any, condition: Any) -> Waiting:
        return Waiting(*table.select(fn.COUNT(table.id), fn.MIN(since)).where(condition).tuples().get())

    is_requested = Withdrawal.status == WithdrawalStatus.REQUESTED
    return OpenWork(
        waiting(Withdrawal, Withdrawal.changed_at_ms, is_requested),
        waiting(Deposit, Deposit.changed_at_ms, Deposit.status == DepositStatus.REVIEW),
        waiting(Discrepancy, Discrepancy.found_at_ms, Discrepancy.solved_at_ms.is_null()),
        Waiting(Prize.select().where(Prize.status == PrizeStatus.SHIPPING).count()),
    )
