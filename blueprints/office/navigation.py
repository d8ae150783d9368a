"""The links at the top of every page, in their order."""

from typing import NamedTuple

from blueprints.office.access import can
from services.staff.permissions import Permission


class Link(NamedTuple):
    """A page of the navigation, and the permission without which it is not shown."""

    label: str
    endpoint: str
    permission: Permission


NAVIGATION = (
    Link("Overview", "office.overview", Permission.OFFICE_SEE),
    Link("Players", "office.players", Permission.PLAYERS_SEE),
    Link("Withdrawals", "office.withdrawals", Permission.PAYMENTS_SEE),
    Link("Payments", "office.payments", Permission.PAYMENTS_SEE),
    Link("Prizes", "office.prizes", Permission.PRIZES_SEE),
    Link("Cases and items", "office.cases", Permission.CONTENT_SEE),
    Link("Proposals", "office.proposals", Permission.PROPOSALS_SEE),
    Link("Reports", "office.reports", Permission.REPORTS_SEE),
    Link("Alarms", "office.alarms", Permission.ALARMS_SEE),
    Link("Audit trail", "office.audit_trail", Permission.AUDIT_SEE),
    Link("Staff", "office.staff", Permission.STAFF_SEE),
)


def links() -> list[Link]:
    """Those that the current member of staff may follow."""
    return [link for link in NAVIGATION if can(link.permission)]
