"""What every template of the back office may use: values, links, and how amounts and times are shown."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from flask import current_app, request
from flask_login import current_user

from blueprints.office.access import can, code_is_due, current_staff
from blueprints.office.addresses import with_query
from blueprints.office.blueprint import office
from blueprints.office.forms import new_form_key
from server.current_services import get_services
from services.cases.contents import ItemLine, percent_from_width, return_of
from services.staff.permissions import Permission, Role


@office.context_processor
def page_context() -> dict[str, Any]:
    """``staff`` is None where nobody is signed in; ``can`` and ``code_is_due`` must not be used then."""
    is_signed_in = current_user.is_authenticated
    return {
        "staff": current_staff() if is_signed_in else None,
        "navigation": links() if is_signed_in else [],
        "can": can,
        "Permission": Permission,
        "code_is_due": code_is_due,
        "new_form_key": new_form_key,
        "with_query": with_query,
        "has_page": lambda endpoint: endpoint in current_app.view_functions,
        "four_eyes": get_services().settings.office_four_eyes,
        "demo_code": _demo_code,
        "demo_roles": list(Role) if is_signed_in and _demo_code() else [],
    }


def _demo_code() -> str | None:
    """The code for a person of the demo, who has no authenticator; None for everybody else."""
    services = get_services()
    if services.demo_staff is None:
        return None
    return services.demo_staff.code_of(current_staff(), now=services.clock())


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
    Link("Battles", "office.battles", Permission.PLAYERS_SEE, ("battles",)),
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


MINUS = "\u2212"


@office.app_template_filter()
def money_text(cents: int | None) -> str:
    """An amount with two decimals, such as 1,234.50; a dash for none."""
    if cents is None:
        return "\u2013"
    return f"{MINUS if cents < 0 else ''}{abs(cents) // 100:,}.{abs(cents) % 100:02}"


class ShownTime(NamedTuple):
    """A time in UTC: for the browser, and to read."""

    iso: str
    text: str


@office.app_template_filter()
def shown_time(ms: int) -> ShownTime:
    """The time as ISO 8601, and as 2026-11-26 21:08:00 UTC."""
    at = datetime.fromtimestamp(ms / 1000, UTC)
    return ShownTime(at.strftime("%Y-%m-%dT%H:%M:%SZ"), at.strftime("%Y-%m-%d %H:%M:%S UTC"))


@office.app_template_filter("age")
def age_text(ms: int) -> str:
    """How long ago something was: 3 days, 5 hours, 20 minutes."""
    minutes = max(ms, 0) // 60_000
    for number, unit in ((minutes // 1440, "day"), (minutes // 60, "hour"), (minutes, "minute")):
        if number:
            return f"{number} {unit}{'' if number == 1 else 's'}"
    return "a moment"


@office.app_template_filter()
def json_items(text: str) -> Iterable[tuple[str, Any]]:
    """The names and values of a JSON object. Another text is one value without a name."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value.items() if isinstance(value, dict) else [("", value)]


@office.app_template_filter()
def percent(share: float | None) -> str:
    """A share as a percentage with two decimals; a dash for none."""
    return "\u2013" if share is None else f"{share * 100:.2f}%"


@office.app_template_filter()
def chance(width: int) -> str:
    """The chance of an item as an exact percentage."""
    return f"{percent_from_width(width)}%"


@office.app_template_filter()
def case_return(items: Iterable[ItemLine], price_cents: int) -> str:
    """What an opening of a case with these items pays on average."""
    return percent(return_of(items, price_cents))
