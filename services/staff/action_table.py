"""Every action that may need a second person."""

from services.accounts.two_factor.service import TwoFactorAuthentication
from services.payments.inbox import WebhookInbox
from services.payments.staff_decisions import StaffDecisions
from services.staff.accounts import StaffAccounts
from services.staff.actions import Action
from services.staff.case_actions import (
    ImportCases,
    ImportIrlCases,
    RestoreCase,
    RetireCase,
    RetireIrlCase,
)
from services.staff.item_actions import ImportItems
from services.staff.money_actions import ApproveWithdrawal, ChangeBalance, CreditDeposit, RetryMessage
from services.staff.player_actions import ResetTwoFactor
from services.staff.staff_actions import AddStaff, ChangeRole, DisableStaff, ResetStaff
from settings import Settings


def action_table(
    *,
    staff_decisions: StaffDecisions,
    payment_inbox: WebhookInbox,
    two_factor: TwoFactorAuthentication,
    staff_accounts: StaffAccounts,
    settings: Settings,
) -> list[Action]:
    """The actions, with what they call."""
    return [
        ChangeBalance(settings),
        ApproveWithdrawal(staff_decisions, settings),
        CreditDeposit(staff_decisions, settings),
        RetryMessage(payment_inbox, settings),
        ResetTwoFactor(two_factor),
        ImportCases(),
        ImportIrlCases(),
        ImportItems(),
        RestoreCase(),
        RetireCase(),
        RetireIrlCase(),
        AddStaff(staff_accounts, base_url=settings.base_url),
        ChangeRole(staff_accounts, base_url=settings.base_url),
        DisableStaff(staff_accounts, base_url=settings.base_url),
        ResetStaff(staff_accounts, base_url=settings.base_url),
    ]
