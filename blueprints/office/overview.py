"""The overview: today at a glance, charts, what the house owes, open work and alarms. It stays up to date."""

from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, NamedTuple

from flask import Response, abort, render_template, request, url_for

from blueprints.api.auth import public
from blueprints.office import charts
from blueprints.office.access import can, require_permission
from blueprints.office.addresses import Days, last_days, usual_days, with_parameters
from blueprints.office.blueprint import office
from models.processes import live_sockets
from server.current_services import get_services
from services.alarms import raised
from services.bets.terms import GAMES
from services.figures import liabilities, payments_by_method, returns
from services.figures.glance import DayFigures
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


class Tile(NamedTuple):
    """A figure of today, that of the same weekday before, and the page with more of it."""

    label: str
    today: int
    earlier: int
    address: str
    is_money: bool

    @property
    def percent(self) -> int | None:
        """Of the earlier figure; None where that says nothing."""
        return round(self.today * 100 / self.earlier) if self.earlier > 0 else None

    @property
    def bar(self) -> int:
        """The same from 0 to 100."""
        return min(max(self.percent or 0, 0), 100)


@office.get("/")
@require_permission(Permission.OFFICE_SEE)
def overview() -> str:
    return render_template("office/overview.html", **_content(), refresh=_refresh_address(), games=GAMES)


@office.get("/live")
@require_permission(Permission.OFFICE_SEE)
def live_overview() -> str:
    """The parts that change by themselves, for an open page."""
    return render_template("office/overview-parts.html", **_content())


def _refresh_address() -> str:
    return with_parameters("office.live_overview", {"game": _game() or ""})


def _game() -> str | None:
    """The game of the charts; None for all."""
    given = request.args.get("game")
    return given if given in GAMES else None


def _content() -> dict[str, Any]:
    now = get_services().clock()
    today, earlier = get_services().glance.today_and_a_week_ago(now)
    sees_reports = can(Permission.REPORTS_SEE)
    return {
        "now": now,
        "tiles": [
            _tile(label, name, endpoint, today, earlier)
            for label, name, endpoint, permission in TILES
            if can(permission)
        ],
        "weekday": datetime.fromtimestamp(earlier.day / 1000, UTC).strftime("%A, %-d %B"),
        "periods": [_period(*each) for each in usual_days(now).items()] if sees_reports else [],
        **(_charts(now) if sees_reports else {"charts": [], "days": []}),
        "game": _game(),
        "owed": liabilities.newest() if sees_reports else None,
        "hold": current_hold(),
        "sockets": live_sockets(),
        "tasks": _tasks(now),
        "alarms": raised.open_alarms(ALARMS) if can(Permission.ALARMS_SEE) else [],
    }


TILES = (
    ("Players active", "players", "office.players", Permission.PLAYERS_SEE),
    ("New players", "new_players", "office.players", Permission.PLAYERS_SEE),
    ("Deposits", "deposits", "office.report_of_payments", Permission.REPORTS_SEE),
    ("Withdrawals", "withdrawals", "office.report_of_payments", Permission.REPORTS_SEE),
    ("Net revenue (GGR)", "revenue", "office.reports", Permission.REPORTS_SEE),
    ("Cost of rewards", "rewards", "office.report_of_rewards", Permission.REPORTS_SEE),
)
"""The label, the field of DayFigures, where there is more of it, and who may see it."""

COUNTS = ("players", "new_players")


def _tile(label: str, name: str, endpoint: str, today: DayFigures, earlier: DayFigures) -> Tile:
    is_money = name not in COUNTS
    return Tile(label, getattr(today, name), getattr(earlier, name), url_for(endpoint), is_money)


def _period(label: str, days: Days) -> Period:
    by_game = returns.lines(since=days.since, until=days.until, groups=[Group.GAME])
    return Period(label, days, by_game, returns.total(by_game))


def _charts(now: Millis) -> dict[str, Any]:
    """The charts of the last days, each with the days before, and the lines of the table below them."""
    days, game = last_days(CHART_DAYS, now=now), _game()
    with_earlier = Days(charts.before(days).since, days.until)
    found = charts.figures_by_day(with_earlier, game=game)
    return {
        "charts": [
            charts.revenue_chart(days, found),
            charts.return_chart(days, found),
            charts.payments_chart(days, payments_by_method.by_day(*with_earlier)),
        ],
        "days": charts.newest_first(found, days),
    }


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
