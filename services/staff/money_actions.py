"""Actions that move coins or money: changes of balances, withdrawals, and deposits in review."""

from typing import Any, ClassVar

from peewee import fn

from models.payments import Deposit, Withdrawal
from models.staff import IS_PERFORMED, Proposal
from services.accounts import users
from services.payments import inbox, rows
from services.payments.inbox import WebhookInbox
from services.payments.staff_decisions import StaffDecisions
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import Refusal
from services.shared.money import MAX_AMOUNT_CENTS, Cents, price_text
from services.staff import accounts
from services.staff.actions import Action, Arguments
from services.staff.errors import AnotherPerson
from services.staff.permissions import Permission
from services.wallet import adjusting
from settings import Settings


def signed_price(amount: int) -> str:
    """An amount with its sign: +$12.40 or -$12.40."""
    return f"{'-' if amount < 0 else '+'}{price_text(abs(amount))}"


class MoneyAction(Action):
    """One that needs a second person above an amount.

    Together with what single persons have done for the player in 24 hours: so nobody splits an amount, and
    neither do two of them.
    """

    above: Cents
    counted: ClassVar[tuple[str, ...]]
    """The names of the actions that count together."""

    def needs_second(self, arguments: Arguments, *, by: str, now: Millis) -> bool:  # noqa: ARG002
        """The player's row is locked, so that two actions at once count each other."""
        user_id, amount = self.user_id(arguments), self.amount(arguments)
        if user_id is None or amount is None:
            return True
        users.lock(user_id)
        return self._lately(Proposal.user == user_id, now=now) + abs(amount) > self.above

    def _lately(self, of: Any, *, now: Millis) -> int:
        """The sum in cents of what single persons have done in 24 hours, of those rows of ``proposals``."""
        lately = Proposal.select(fn.COALESCE(fn.SUM(fn.ABS(Proposal.amount_cents)), 0)).where(
            of, Proposal.action.in_(self.counted), IS_PERFORMED, Proposal.decided_at_ms > now - DAY_MS
        )
        return int(lately.scalar())


GRANTS = ("balance.change", "deposit.credit", "webhook.retry")

GRANTER_WAITS_MS = 30 * DAY_MS
"""For so long who has granted coins to a player takes no part in what that player is paid."""


class Grant(MoneyAction):
    """One that adds coins to a balance, or corrects it.

    What one person has done in 24 hours counts together over all players as well.
    """

    counted = GRANTS

    def needs_second(self, arguments: Arguments, *, by: str, now: Millis) -> bool:
        """The account of the person is locked too, so that two grants to two players count each other."""
        accounts.lock(by)
        amount = self.amount(arguments)
        is_above = (
            amount is None or self._lately(Proposal.decided_by == by, now=now) + abs(amount) > self.above
        )
        return is_above or super().needs_second(arguments, by=by, now=now)


def check_granted_nothing(user_id: int, *, by: str, now: Millis) -> None:
    """Raise AnotherPerson if this person has lately granted coins to the player, alone or with another.

    The player's row is locked, so that a grant at the same time comes before or is not part of it.
    """
    users.lock(user_id)
    granted = Proposal.select(Proposal.id).where(
        Proposal.user == user_id,
        Proposal.action.in_(GRANTS),
        Proposal.amount_cents > 0,
        Proposal.status.in_(("performed", "approved")),
        Proposal.decided_at_ms > now - GRANTER_WAITS_MS,
        (Proposal.decided_by == by) | (Proposal.proposed_by == by),
    )
    if granted.exists():
        raise AnotherPerson


class ChangeBalance(Grant):
    """Adds coins to a player's balance, or takes them: ``platformId``, ``amountCents``."""

    name: ClassVar[str] = "balance.change"
    permission: ClassVar[Permission] = Permission.BALANCES_CHANGE

    def __init__(self, settings: Settings) -> None:
        self.above = Cents(settings.office_four_eyes_above_cents)

    def describe(self, arguments: Arguments) -> str:
        player, change = arguments["platformId"], signed_price(self.amount(arguments))
        return f"Change the balance of player {player} by {change}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        amount = self.amount(arguments)
        balance = adjusting.adjust(user_id=self.user_id(arguments), amount=amount, reason=reason, now=now)
        return f"The balance was changed by {signed_price(amount)}, and is {price_text(balance)} now"

    def user_id(self, arguments: Arguments) -> int:
        return int(users.get(platform_id=arguments["platformId"]).id)

    def amount(self, arguments: Arguments) -> Cents:
        amount = Cents(arguments["amountCents"])
        if not 0 < abs(amount) <= MAX_AMOUNT_CENTS:
            raise Refusal("the amount must not be 0")
        return amount


class ApproveWithdrawal(MoneyAction):
    """Approves a requested withdrawal, which is sent then: ``withdrawal``."""

    name: ClassVar[str] = "withdrawal.approve"
    permission: ClassVar[Permission] = Permission.WITHDRAWALS_DECIDE
    counted = (name,)

    def __init__(self, decisions: StaffDecisions, settings: Settings) -> None:
        self._decisions = decisions
        self.above = Cents(settings.withdrawal_four_eyes_above_cents)

    def describe(self, arguments: Arguments) -> str:
        return f"Approve the withdrawal {arguments['withdrawal']}"

    def check_person(self, arguments: Arguments, *, by: str, now: Millis) -> None:
        check_granted_nothing(self.user_id(arguments), by=by, now=now)

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        approved = self._decisions.approve(withdrawal_id=arguments["withdrawal"], reason=reason, now=now)
        return f"The withdrawal of {price_text(approved.amount_cents)} was approved, and is being sent"

    def user_id(self, arguments: Arguments) -> int:
        return rows.get(Withdrawal, arguments["withdrawal"]).user_id

    def amount(self, arguments: Arguments) -> Cents:
        return Cents(rows.get(Withdrawal, arguments["withdrawal"]).amount_cents)


class CreditDeposit(Grant):
    """Credits a deposit in review with any amount: ``deposit``, ``amountCents``."""

    name: ClassVar[str] = "deposit.credit"
    permission: ClassVar[Permission] = Permission.PAYMENTS_DECIDE

    def __init__(self, decisions: StaffDecisions, settings: Settings) -> None:
        self._decisions = decisions
        self.above = Cents(settings.office_four_eyes_above_cents)

    def describe(self, arguments: Arguments) -> str:
        return f"Credit the deposit {arguments['deposit']} with {price_text(arguments['amountCents'])}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        amount = self.amount(arguments)
        self._decisions.credit(deposit_id=arguments["deposit"], usd=amount, reason=reason, now=now)
        return f"The deposit was credited with {price_text(amount)}"

    def user_id(self, arguments: Arguments) -> int:
        return rows.get(Deposit, arguments["deposit"]).user_id

    def amount(self, arguments: Arguments) -> Cents:
        return Cents(arguments["amountCents"])


class RetryMessage(Grant):
    """Processes a webhook again whose processing has failed: ``delivery``. It may credit a deposit."""

    name: ClassVar[str] = "webhook.retry"
    permission: ClassVar[Permission] = Permission.PAYMENTS_DECIDE

    def __init__(self, inbox: WebhookInbox, settings: Settings) -> None:
        self._inbox = inbox
        self.above = Cents(settings.office_four_eyes_above_cents)

    def describe(self, arguments: Arguments) -> str:
        return f"Process the webhook {arguments['delivery']} again"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        self._inbox.retry(delivery_id=arguments["delivery"], reason=reason, now=now)
        return "The message was processed"

    def needs_second(self, arguments: Arguments, *, by: str, now: Millis) -> bool:
        return self.amount(arguments) is not None and super().needs_second(arguments, by=by, now=now)

    def user_id(self, arguments: Arguments) -> int | None:
        credited = inbox.credited_by(arguments["delivery"])
        return credited and int(credited[0].id)

    def amount(self, arguments: Arguments) -> Cents | None:
        credited = inbox.credited_by(arguments["delivery"])
        return credited and credited[1]
