"""The links at the top of every page, in their order."""

from typing import NamedTuple

from flask import request

from blueprints.office.access import can
from services.staff.permissions import Permission


class Link(NamedTuple):
    """A page of the navigation, and the permission without which it is not shown."""

    label: str
    endpoint: str
    permission: Permission
    folders: tuple[str, ...] = ()
    """Where its pages are, below ``/office/``."""

    @property
    def is_current(self) -> bool:
        """Whether the page that is shown is this one or belongs to it."""
        folder = request.path.removeprefix("/office/").partition("/")[0]
        return request.endpoint == self.endpoint or folder in self.folders


CONTENT = ("cases", "irl-cases", "items", "prices", "imports")

NAVIGATION = (
    Link("Overview", "office.overview", Permission.OFFICE_SEE),
    Link("Players", "office.players", Permission.PLAYERS_SEE, ("players",)),
    Link("Withdrawals", "office.withdrawals", Permission.PAYMENTS_SEE, ("withdrawals",)),
    Link("Payments", "office.payments", Permission.PAYMENTS_SEE, ("payments", "deposits")),
    Link("Prizes", "office.prizes", Permission.PRIZES_SEE, ("prizes",)),
    Link("Cases and items", "office.cases", Permission.CONTENT_SEE, CONTENT),
    Link("Proposals", "office.proposals", Permission.PROPOSALS_SEE, ("proposals",)),
    Link("Reports", "office.reports", Permission.REPORTS_SEE, ("reports",)),
    Link("Alarms", "office.alarms", Permission.ALARMS_SEE, ("alarms",)),
    Link("Audit trail", "office.audit_trail", Permission.AUDIT_SEE),
    Link("Staff", "office.staff", Permission.STAFF_SEE, ("staff",)),
)


def links() -> list[Link]:
    """Those that the current member of staff may follow."""
    return [link for link in NAVIGATION if can(link.permission)]
