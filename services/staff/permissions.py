"""Which role may do what in the back office. docs/office.md has the same table."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Role(StrEnum):
    """What a member of the staff works on. An account has one."""

    SUPPORT = "support"
    PAYMENTS = "payments"
    CONTENT = "content"
    COMPLIANCE = "compliance"
    AUDITOR = "auditor"
    ADMIN = "admin"


class Permission(StrEnum):
    """What a view of the back office needs, or an action.

    ``Proposals`` checks that of an action. The view of its form repeats it, so that only those see the form
    who may send it.
    """

    OFFICE_SEE = "office.see"
    """To be signed in. Every role has it."""
    PLAYERS_SEE = "players.see"
    PLAYERS_ACT = "players.act"
    """Log out, suspend, resume, notify, note and tag."""
    PLAYERS_EXCLUDE = "players.exclude"
    PERSONAL_DETAILS_SEE = "personal-details.see"
    BALANCES_CHANGE = "balances.change"
    TWO_FACTOR_RESET = "two-factor.reset"
    PAYMENTS_SEE = "payments.see"
    PAYMENTS_DECIDE = "payments.decide"
    """Deposits in review, discrepancies, and webhooks that failed."""
    WITHDRAWALS_DECIDE = "withdrawals.decide"
    PRIZES_SEE = "prizes.see"
    PRIZES_SHIP = "prizes.ship"
    CONTENT_SEE = "content.see"
    CONTENT_CHANGE = "content.change"
    REPORTS_SEE = "reports.see"
    ALARMS_SEE = "alarms.see"
    ALARMS_ACKNOWLEDGE = "alarms.acknowledge"
    AUDIT_SEE = "audit.see"
    """Also exports."""
    STAFF_SEE = "staff.see"
    STAFF_CHANGE = "staff.change"
    PROPOSALS_SEE = "proposals.see"


P = Permission

SEES_ALL = frozenset(permission for permission in P if permission.endswith(".see"))

EVERYBODY = frozenset({P.OFFICE_SEE, P.PLAYERS_SEE, P.ALARMS_SEE, P.PROPOSALS_SEE})

ROLES: Mapping[Role, frozenset[Permission]] = MappingProxyType(
    {
        Role.SUPPORT: EVERYBODY
        | {P.PLAYERS_ACT, P.PERSONAL_DETAILS_SEE, P.BALANCES_CHANGE, P.TWO_FACTOR_RESET}
        | {P.PAYMENTS_SEE, P.PRIZES_SEE, P.PRIZES_SHIP, P.CONTENT_SEE},
        Role.PAYMENTS: EVERYBODY
        | {P.PERSONAL_DETAILS_SEE, P.BALANCES_CHANGE, P.PAYMENTS_SEE, P.PAYMENTS_DECIDE}
        | {P.WITHDRAWALS_DECIDE, P.PRIZES_SEE, P.REPORTS_SEE, P.ALARMS_ACKNOWLEDGE},
        Role.CONTENT: EVERYBODY
        | {P.CONTENT_SEE, P.CONTENT_CHANGE, P.PRIZES_SEE, P.REPORTS_SEE, P.ALARMS_ACKNOWLEDGE},
        Role.COMPLIANCE: EVERYBODY
        | {P.PLAYERS_ACT, P.PLAYERS_EXCLUDE, P.PERSONAL_DETAILS_SEE, P.PAYMENTS_SEE, P.PRIZES_SEE}
        | {P.CONTENT_SEE, P.REPORTS_SEE, P.ALARMS_ACKNOWLEDGE, P.AUDIT_SEE, P.STAFF_SEE},
        Role.AUDITOR: SEES_ALL,
        # Whoever changes staff can give themselves any role, so to refuse the rest would only be in the way
        # of a team of one. Four eyes are what limits an administrator.
        Role.ADMIN: frozenset(P),
    }
)


def may(role: str, permission: Permission) -> bool:
    """Whether this role has the permission."""
    return permission in ROLES[Role(role)]
