"""The overview: figures of the games, what the house owes, open work and alarms."""

from http import HTTPStatus
from typing import NamedTuple

from flask import Response, abort, render_template, request

from blueprints.api.auth import public
from blueprints.office.access import can, needs
from blueprints.office.blueprint import office
from models.processes import live_sockets
from server.current_services import get_services
from services.alarms import raised
from services.bets.terms import GAMES
from services.figures import liabilities, open_work, returns
from services.figures.open_work import Waiting
from services.figures.returns import Figures, Group, Line
from services.payments.hold import current_hold
from services.shared.clock import DAY_MS, CalendarPeriod, Millis, iso_date
from services.staff import proposals
from services.staff.permissions import Permission

PERIODS = {"Today": (0, 0), "Yesterday": (1, 1), "7 days": (6, 0), "30 days": (29, 0)}
"""How many days ago each begins, and how many days ago its last day is."""
CHART_DAYS = 30
ALARMS = 5


class Period(NamedTuple):
    """The figures of some of the last days."""

    label: str
    first: str
    last: str
    by_game: list[Line]
    total: Figures


class Task(NamedTuple):
    """Work that waits, and the page with its list."""

    label: str
    endpoint: str
    waiting: Waiting


@office.get("/")
@needs(Permission.OFFICE_SEE)
def overview() -> str:
    today = CalendarPeriod.DAY.start(get_services().clock())
    game = request.args.get("game") if request.args.get("game") in GAMES else None
    sees_reports = can(Permission.REPORTS_SEE)
    return render_template(
        "office/overview.html",
        periods=[_period(label, *ago, today) for label, ago in PERIODS.items()] if sees_reports else [],
        days=_days(today, game) if sees_reports else [],
        games=GAMES,
        game=game,
        owed=liabilities.newest() if sees_reports else None,
        hold=current_hold(),
        sockets=live_sockets(),
        tasks=_tasks(),
        alarms=raised.open_alarms(ALARMS) if can(Permission.ALARMS_SEE) else [],
    )


def _period(label: str, first_ago: int, last_ago: int, today: Millis) -> Period:
    first, last = Millis(today - first_ago * DAY_MS), Millis(today - last_ago * DAY_MS)
    by_game = returns.lines(since=first, until=Millis(last + DAY_MS), groups=[Group.GAME])
    return Period(label, iso_date(first), iso_date(last), by_game, returns.total(by_game))


def _days(today: Millis, game: str | None) -> list[Line]:
    """The figures of each day of the chart in which there was a bet, the newest first."""
    since = Millis(today - (CHART_DAYS - 1) * DAY_MS)
    return returns.lines(since=since, until=Millis(today + DAY_MS), groups=[Group.DAY], game=game)[::-1]


def _tasks() -> list[Task]:
    found = []
    if can(Permission.PAYMENTS_SEE):
        found += [
            Task("Withdrawals requested", "office.withdrawals", open_work.withdrawals()),
            Task("Deposits in review", "office.payments", open_work.deposits()),
            Task("Discrepancies of payments", "office.payment_discrepancies", open_work.discrepancies()),
        ]
    if can(Permission.PRIZES_SEE):
        found.append(Task("Prizes to ship", "office.prizes", open_work.prizes()))
    proposed = Waiting(proposals.open_count(now=get_services().clock()))
    return [*found, Task("Proposals", "office.proposals", proposed)]


@office.get("")
@public
def add_slash() -> Response:
    return Response(status=HTTPStatus.PERMANENT_REDIRECT, headers={"Location": "/office/"})


@office.get("/<path:unknown>")
@needs(Permission.OFFICE_SEE)
def unknown_page(unknown: str) -> Response:  # noqa: ARG001  # the route's
    """404 as a page; only to somebody who is signed in."""
    abort(HTTPStatus.NOT_FOUND)
