"""The overview: figures of the games, what the house owes, open work and alarms."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import NamedTuple

from flask import Response, abort, render_template, request

from blueprints.api.auth import public
from blueprints.office.access import can, require_permission
from blueprints.office.addresses import Days, last_days, usual_days
from blueprints.office.blueprint import office
from models.processes import live_sockets
from server.current_services import get_services
from services.alarms import raised
from services.bets.terms import GAMES
from services.figures import liabilities, returns
from services.figures.returns import Figures, Group, Line
from services.payments.hold import current_hold
from services.shared.clock import Millis
from services.staff import battle_lists, payment_lists, proposals
from services.staff.battle_lists import Which
from services.staff.payment_lists import Waiting
from services.staff.permissions import Permission

CHART_DAYS = 30
ALARMS = 5


class Period(NamedTuple):
    """The figures of some of the last days."""

    label: str
    days: Days
    by_game: list[Line]
    total: Figures


class Task(NamedTuple):
    """Work that waits, and the page with its list."""

    label: str
    endpoint: str
    waiting: Waiting
    filters: Mapping[str, str] = MappingProxyType({})


@office.get("/")
@require_permission(Permission.OFFICE_SEE)
def overview() -> str:
    now = get_services().clock()
    game = request.args.get("game") if request.args.get("game") in GAMES else None
    sees_reports = can(Permission.REPORTS_SEE)
    return render_template(
        "office/overview.html",
        periods=[_period(*each) for each in usual_days(now).items()] if sees_reports else [],
        days=_chart_lines(now, game) if sees_reports else [],
        games=GAMES,
        game=game,
        owed=liabilities.newest() if sees_reports else None,
        hold=current_hold(),
        sockets=live_sockets(),
        tasks=_tasks(now),
        alarms=raised.open_alarms(ALARMS) if can(Permission.ALARMS_SEE) else [],
    )


def _period(label: str, days: Days) -> Period:
    by_game = returns.lines(since=days.since, until=days.until, groups=[Group.GAME])
    return Period(label, days, by_game, returns.total(by_game))


def _chart_lines(now: Millis, game: str | None) -> list[Line]:
    """The figures of each day of the charts on which there was a bet, the newest first."""
    days = last_days(CHART_DAYS, now=now)
    return returns.lines(since=days.since, until=days.until, groups=[Group.DAY], game=game)[::-1]


def _tasks(now: Millis) -> list[Task]:
    work, found = payment_lists.open_work(), []
    if can(Permission.PAYMENTS_SEE):
        found += [
            Task("Withdrawals requested", "office.withdrawals", work.withdrawals),
            Task("Deposits in review", "office.payments", work.deposits),
            Task("Discrepancies of payments", "office.payment_discrepancies", work.discrepancies),
        ]
    if can(Permission.PRIZES_SEE):
        found.append(Task("Prizes to ship", "office.prizes", work.prizes))
    if can(Permission.PLAYERS_SEE):
        held = battle_lists.held(now=now)
        found.append(Task("Held battles", "office.battles", held, {"state": Which.HELD}))
    proposed = Waiting(proposals.open_count(now=now))
    return [*found, Task("Proposals", "office.proposals", proposed)]


@office.get("")
@public
def add_slash() -> Response:
    return Response(status=HTTPStatus.PERMANENT_REDIRECT, headers={"Location": "/office/"})


@office.get("/<path:unknown>")
@require_permission(Permission.OFFICE_SEE)
def unknown_page(unknown: str) -> Response:  # noqa: ARG001  # the route's
    """404 as a page; only to somebody who is signed in."""
    abort(HTTPStatus.NOT_FOUND)
