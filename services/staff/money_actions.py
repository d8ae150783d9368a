"""Actions that move coins or money: changes of balances, rewards, withdrawals, and deposits in review."""

from typing import Any, ClassVar

from peewee import fn

from models.payments import Deposit, Withdrawal
from models.staff import IS_PERFORMED, Proposal
from services.accounts import users
from services.payments import inbox, rows
from services.payments.inbox import WebhookInbox
from services.payments.staff_decisions import StaffDecisions
from services.rewards import grants
from services.rewards.free_openings import case_to_give
from services.shared.clock import DAY_MS, Millis
from services.shared.money import Cents, price_text
from services.staff import accounts
from services.staff.errors import ConflictOfInterest
from services.staff.permissions import Permission
from services.staff.proposals import Action, Arguments
from services.wallet import adjusting

CREDITOR_WAITS_MS = 30 * DAY_MS
"""Who has added coins to a player's balance may not approve that player's withdrawals for this long."""


def signed_price(amount: int) -> str:
    """An amount with its sign: +$12.40 or -$12.40."""
    return f"{'-' if amount < 0 else '+'}{price_text(abs(amount))}"


class MoneyAction(Action):
    """One that needs a second person above an amount.

    Together with what single persons have done for the player in 24 hours: so nobody splits an amount, and
    neither do two of them.
    """

    def __init__(self, *, approval_above_cents: int) -> None:
        self._approval_above_cents = approval_above_cents

    @property
    def counted(self) -> tuple[str, ...]:
        """The names of the actions that count together."""
        return (self.name,)

    def needs_approval(self, arguments: Arguments, *, by: str, now: Millis) -> bool:  # noqa: ARG002
        """Lock the player's row, so that two actions at once count each other."""
        user_id, amount = self.find_user_id(arguments), self.find_amount(arguments)
        if user_id is None or amount is None:
            return True
        users.lock(user_id)
        return self._is_above(amount, Proposal.user == user_id, now=now)

    def _is_above(self, amount: Cents, condition: Any, *, now: Millis) -> bool:
        """Whether this amount and what single persons have done in 24 hours are above the bound.

        ``condition`` selects the rows of ``proposals`` that count.
        """
        recent = Proposal.select(fn.COALESCE(fn.SUM(fn.ABS(Proposal.amount_cents)), 0)).where(
            condition, Proposal.action.in_(self.counted), IS_PERFORMED, Proposal.decided_at_ms > now - DAY_MS
        )
        return int(recent.scalar()) + abs(amount) > self._approval_above_cents


class CreditingAction(MoneyAction):
    """One that adds coins to a balance, offers them, or corrects it.

    What one person has done in 24 hours counts together over all players as well.
    """

    @property
    def counted(self) -> tuple[str, ...]:
        return CREDITING_ACTIONS

    def needs_approval(self, arguments: Arguments, *, by: str, now: Millis) -> bool:
        """Lock the account of the person too, so that actions for two players at once count each other."""
        accounts.lock(by)
        amount = self.find_amount(arguments)
        is_above = amount is None or self._is_above(amount, Proposal.decided_by == by, now=now)
        return is_above or super().needs_approval(arguments, by=by, now=now)


class AdjustBalance(CreditingAction):
    """Adds coins to a player's balance, or takes them: ``platformId``, ``amountCents``."""

    name: ClassVar[str] = "balance.change"
    permission: ClassVar[Permission] = Permission.BALANCES_CHANGE

    def describe(self, arguments: Arguments) -> str:
        player, change = arguments["platformId"], signed_price(arguments["amountCents"])
        return f"Change the balance of player {player} by {change}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        user_id, amount = self.find_user_id(arguments), self.find_amount(arguments)
        balance = adjusting.adjust(user_id=user_id, amount=amount, reason=reason, now=now)
        return f"The balance was changed by {signed_price(amount)}, and is {price_text(balance)} now"

    def find_user_id(self, arguments: Arguments) -> int:
        return int(users.get(platform_id=arguments["platformId"]).id)

    def find_amount(self, arguments: Arguments) -> Cents:
        return Cents(arguments["amountCents"])


class GrantReward(CreditingAction):
    """Offers a player coins, or a free opening of a case: ``platformId``, and ``amountCents`` or ``case``.

    A free opening counts with what the case pays on average now.
    """

    name: ClassVar[str] = "reward.grant"
    permission: ClassVar[Permission] = Permission.BALANCES_CHANGE

    def describe(self, arguments: Arguments) -> str:
        player = arguments["platformId"]
        if "case" in arguments:
            return f"Grant player {player} a free opening of the case {arguments['case']}"
        return f"Grant player {player} a reward of {price_text(arguments['amountCents'])}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        user_id = self.find_user_id(arguments)
        if "case" in arguments:
            case = case_to_give(arguments["case"])
            grants.grant(user_id=user_id, case=case, reason=reason, now=now)
            return f"The player can open the case {case.slug} for free"
        amount = self.find_amount(arguments)
        grants.grant(user_id=user_id, coins=amount, reason=reason, now=now)
        return f"The player can claim {price_text(amount)}"

    def find_user_id(self, arguments: Arguments) -> int:
        return int(users.get(platform_id=arguments["platformId"]).id)

    def find_amount(self, arguments: Arguments) -> Cents:
        if "case" in arguments:
            return case_to_give(arguments["case"]).value_cents
        return Cents(arguments["amountCents"])


class CreditDeposit(CreditingAction):
    """Credits a deposit in review with any amount: ``deposit``, ``amountCents``."""

    name: ClassVar[str] = "deposit.credit"
    permission: ClassVar[Permission] = Permission.PAYMENTS_DECIDE

    def __init__(self, decisions: StaffDecisions, *, approval_above_cents: int) -> None:
        super().__init__(approval_above_cents=approval_above_cents)
        self._decisions = decisions

    def describe(self, arguments: Arguments) -> str:
        return f"Credit the deposit {arguments['deposit']} with {price_text(arguments['amountCents'])}"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        amount = self.find_amount(arguments)
        self._decisions.credit(deposit_id=arguments["deposit"], usd=amount, reason=reason, now=now)
        return f"The deposit was credited with {price_text(amount)}"

    def find_user_id(self, arguments: Arguments) -> int:
        return rows.get(Deposit, arguments["deposit"]).user_id

    def find_amount(self, arguments: Arguments) -> Cents:
        return Cents(arguments["amountCents"])


class RetryWebhook(CreditingAction):
    """Processes a webhook again whose processing has failed: ``delivery``. It may credit a deposit."""

    name: ClassVar[str] = "webhook.retry"
    permission: ClassVar[Permission] = Permission.PAYMENTS_DECIDE

    def __init__(self, webhook_inbox: WebhookInbox, *, approval_above_cents: int) -> None:
        super().__init__(approval_above_cents=approval_above_cents)
        self._inbox = webhook_inbox

    def describe(self, arguments: Arguments) -> str:
        return f"Process the webhook {arguments['delivery']} again"

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        self._inbox.retry(delivery_id=arguments["delivery"], reason=reason, now=now)
        return "The message was processed"

    def needs_approval(self, arguments: Arguments, *, by: str, now: Millis) -> bool:
        credits_coins = self.find_amount(arguments) is not None
        return credits_coins and super().needs_approval(arguments, by=by, now=now)

    def find_user_id(self, arguments: Arguments) -> int | None:
        credited = inbox.credited_by(arguments["delivery"])
        return credited and int(credited[0].id)

    def find_amount(self, arguments: Arguments) -> Cents | None:
        credited = inbox.credited_by(arguments["delivery"])
        return credited and credited[1]


CREDITING_ACTIONS = (AdjustBalance.name, GrantReward.name, CreditDeposit.name, RetryWebhook.name)


class ApproveWithdrawal(MoneyAction):
    """Approves a requested withdrawal, which is sent then: ``withdrawal``."""

    name: ClassVar[str] = "withdrawal.approve"
    permission: ClassVar[Permission] = Permission.WITHDRAWALS_DECIDE

    def __init__(self, decisions: StaffDecisions, *, approval_above_cents: int) -> None:
        super().__init__(approval_above_cents=approval_above_cents)
        self._decisions = decisions

    def describe(self, arguments: Arguments) -> str:
        return f"Approve the withdrawal {arguments['withdrawal']}"

    def check_conflict(self, arguments: Arguments, *, by: str, now: Millis) -> None:
        """Raise ConflictOfInterest if this person has lately credited the player, alone or with another.

        Locks the player's row, so that a credit at the same time comes before or is not part of the payment.
        """
        user_id = self.find_user_id(arguments)
        users.lock(user_id)
        credited = Proposal.select(Proposal.id).where(
            Proposal.user == user_id,
            Proposal.action.in_(CREDITING_ACTIONS),
            Proposal.amount_cents > 0,
            Proposal.status.in_(("performed", "approved")),
            Proposal.decided_at_ms > now - CREDITOR_WAITS_MS,
            (Proposal.decided_by == by) | (Proposal.proposed_by == by),
        )
        if credited.exists():
            raise ConflictOfInterest

    def execute(self, arguments: Arguments, *, reason: str, now: Millis) -> str:
        approved = self._decisions.approve(withdrawal_id=arguments["withdrawal"], reason=reason, now=now)
        return f"The withdrawal of {price_text(approved.amount_cents)} was approved, and is being sent"

    def find_user_id(self, arguments: Arguments) -> int:
        return rows.get(Withdrawal, arguments["withdrawal"]).user_id

    def find_amount(self, arguments: Arguments) -> Cents:
        return Cents(rows.get(Withdrawal, arguments["withdrawal"]).amount_cents)
