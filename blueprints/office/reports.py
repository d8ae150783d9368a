"""Reports by day, game and case, of payments, rewards, and what the house owed. Each also as CSV."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from flask import Response, render_template, request

from blueprints.office import charts
from blueprints.office.access import require_permission
from blueprints.office.addresses import Days, days_of_address, order, page_number, usual_days, with_parameters
from blueprints.office.blueprint import office
from blueprints.office.charts import Chart
from blueprints.office.csv_files import amount, csv_file
from models.figures import FREE, PRICE_CLASSES
from models.rewards import RewardKind
from server.current_services import get_services
from services.alarms import rewards as rewards_alarm
from services.bets.terms import GAMES, UPGRADER
from services.figures import liabilities, payments_by_method, returns, reward_costs
from services.figures.payments_by_method import PaymentsOfMethod
from services.figures.returns import Figures, Group, Line
from services.shared.clock import iso_date
from services.shared.money import NO_COINS, Cents
from services.staff.permissions import Permission

ROWS = 100

LIABILITIES = {
    "balances": "balances_cents",
    "vaults": "vaults_cents",
    "held withdrawals": "held_cents",
    "prizes": "prizes_cents",
    "battles": "battles_cents",
    "total": "total",
    "sweepstake": "sweepstake_cents",
}
"""The columns of liabilities, by their names in the file."""

GROUPS = {
    "day": (Group.DAY,),
    "game": (Group.GAME,),
    "case": (Group.GAME, Group.CASE),
    "price": (Group.PRICE,),
    "day and game": (Group.DAY, Group.GAME),
    "day and case": (Group.DAY, Group.GAME, Group.CASE),
}
"""The choices of ``?by=``."""

NUMBERS: dict[str, Callable[[Figures], float]] = {
    "bets": lambda figures: figures.bets,
    "wagers": lambda figures: figures.wagered,
    "payouts": lambda figures: figures.paid,
    "ggr": lambda figures: figures.revenue,
    "theory": lambda figures: figures.expected_revenue,
    "return": lambda figures: figures.return_to_player or 0.0,
}
"""The columns that a report can be sorted by, besides its groups."""

HEADER = (
    *("bets", "wagers", "payouts", "gross gaming revenue", "theoretical revenue"),
    *("return to player", "theoretical return", "band from", "band to"),
)


PRICES = [*PRICE_CLASSES, FREE]
"""The classes of price by which a report can be asked for."""


class Report(NamedTuple):
    """What the address asks for."""

    days: Days
    by: str
    game: str
    case: str
    price: str
    lines: Sequence[Line]

    @property
    def groups(self) -> Sequence[Group]:
        return GROUPS[self.by]


@office.get("/reports")
@require_permission(Permission.REPORTS_SEE)
def reports() -> str:
    """Bets, by what ``?by=`` says."""
    report = _report()
    sorted_by, is_descending = order(["group", *NUMBERS], default="group")
    lines = _sorted(report.lines, sorted_by, is_descending=is_descending)
    number = page_number(most=max(-(-len(lines) // ROWS), 1))
    return render_template(
        "office/reports.html",
        report=report,
        lines=[(line, _address(report, line)) for line in lines[(number - 1) * ROWS : number * ROWS]],
        total=returns.total(lines),
        pages=(number, number * ROWS < len(lines), -(-len(lines) // ROWS)),
        sorted_by=sorted_by,
        is_descending=is_descending,
        chart=_chart(report),
        csv=_csv_address("office.reports_csv"),
        usual=usual_days(get_services().clock()),
        choices={"by": list(GROUPS), "game": GAMES, "price": PRICES},
    )


@office.get("/reports/bets.csv")
@require_permission(Permission.REPORTS_SEE)
def reports_csv() -> Response:
    """All lines of the report of bets."""
    report = _report()
    rows = [(*line.group, *_cells(line.figures)) for line in report.lines]
    return _csv("bets", report.days, [*report.groups, *HEADER], rows)


@office.get("/reports/payments")
@require_permission(Permission.REPORTS_SEE)
def report_of_payments() -> str:
    days = days_of_address(get_services().clock())
    found = payments_by_method.by_day(*days)
    return render_template(
        "office/report-of-payments.html",
        days=days,
        payments=found,
        chart=_chart_of_payments(days),
        sums=_sums(found),
        csv=_csv_address("office.report_of_payments_csv"),
        usual=usual_days(get_services().clock()),
    )


@office.get("/reports/payments.csv")
@require_permission(Permission.REPORTS_SEE)
def report_of_payments_csv() -> Response:
    days = days_of_address(get_services().clock())
    rows = [
        (iso_date(each.day), each.type, each.method, each.payments, amount(each.amount))
        for each in payments_by_method.by_day(*days)
    ]
    return _csv("payments", days, ("day", "type", "method", "payments", "amount"), rows)


@office.get("/reports/liabilities")
@require_permission(Permission.REPORTS_SEE)
def report_of_liabilities() -> str:
    days = days_of_address(get_services().clock())
    return render_template(
        "office/report-of-liabilities.html",
        days=days,
        found=liabilities.by_day(*days),
        chart=_chart_of_liabilities(days),
        csv=_csv_address("office.report_of_liabilities_csv"),
        usual=usual_days(get_services().clock()),
    )


@office.get("/reports/liabilities.csv")
@require_permission(Permission.REPORTS_SEE)
def report_of_liabilities_csv() -> Response:
    days = days_of_address(get_services().clock())
    header = ("day", *LIABILITIES, "is final")
    rows = []
    for each in liabilities.by_day(*days):
        amounts = [amount(getattr(each.owed, name)) for name in LIABILITIES.values()]
        rows.append((iso_date(each.day), *amounts, "yes" if each.is_final else "no"))
    return _csv("liabilities", days, header, rows)


@office.get("/reports/rewards")
@require_permission(Permission.REPORTS_SEE)
def report_of_rewards() -> str:
    """What rewards cost by day and kind, beside what the house expected to win."""
    now = get_services().clock()
    days = days_of_address(now)
    found, week = reward_costs.by_day(*days), reward_costs.of_last_days(rewards_alarm.DAYS, now=now)
    return render_template(
        "office/report-of-rewards.html",
        days=days,
        found=found,
        total=reward_costs.total(found),
        kinds=list(RewardKind),
        chart=_chart_of_rewards(days),
        week=rewards_alarm.describe(week),
        is_too_much=rewards_alarm.is_too_much(week),
        most_share=rewards_alarm.MOST_SHARE,
        least_cents=rewards_alarm.LEAST_CENTS,
        csv=_csv_address("office.report_of_rewards_csv"),
        usual=usual_days(now),
    )


@office.get("/reports/rewards.csv")
@require_permission(Permission.REPORTS_SEE)
def report_of_rewards_csv() -> Response:
    days = days_of_address(get_services().clock())
    rows = []
    for each in reward_costs.by_day(*days):
        costs = [amount(each.costs.get(kind, NO_COINS)) for kind in RewardKind]
        share = "" if each.share is None else f"{each.share:.6f}"
        rows.append((each.day, *costs, amount(each.cost), amount(each.expected_win), share))
    return _csv(
        "rewards", days, ("day", *RewardKind, "total", "expected win", "share of the expected win"), rows
    )


def _chart(report: Report) -> Chart:
    """The net revenue of each day, and that of the days before."""
    days = charts.shown_days(report.days)
    with_earlier = Days(charts.before(days).since, days.until)
    found = charts.figures_by_day(
        with_earlier, game=report.game or None, case=report.case or None, price=report.price or None
    )
    return charts.revenue_chart(days, found)


def _chart_of_payments(days: Days) -> Chart:
    days = charts.shown_days(days)
    with_earlier = Days(charts.before(days).since, days.until)
    return charts.payments_chart(days, payments_by_method.by_day(*with_earlier))


def _chart_of_liabilities(days: Days) -> Chart:
    days = charts.shown_days(days)
    with_earlier = Days(charts.before(days).since, days.until)
    return charts.liabilities_chart(days, liabilities.by_day(*with_earlier))


def _chart_of_rewards(days: Days) -> Chart:
    days = charts.shown_days(days)
    with_earlier = Days(charts.before(days).since, days.until)
    return charts.rewards_chart(days, reward_costs.by_day(*with_earlier))


def _report() -> Report:
    days = days_of_address(get_services().clock())
    by = request.args.get("by", "")
    by = by if by in GROUPS else "day"
    game, price = request.args.get("game", ""), request.args.get("price", "")
    game = game if game in GAMES else ""
    price = price if price in PRICES else ""
    case = request.args.get("case", "").strip()
    found = returns.lines(
        since=days.since,
        until=days.until,
        groups=GROUPS[by],
        game=game or None,
        case_id=case or None,
        price_class=price or None,
    )
    # Spins have no case, and openings that are not free no class of price.
    return Report(days, by, game, case, price, [line for line in found if all(line.group)])


def _sorted(lines: Sequence[Line], by: str, *, is_descending: bool) -> list[Line]:
    if by == "group":
        return sorted(lines, key=lambda line: line.group, reverse=is_descending)
    # Equal ones stay in the order of their groups.
    return sorted(lines, key=lambda line: NUMBERS[by](line.figures), reverse=is_descending)


def _address(report: Report, line: Line) -> str:
    """The report of what a line sums."""
    values = dict(zip(report.groups, line.group, strict=True))
    query = {
        "from": values.get(Group.DAY, report.days.first),
        "to": values.get(Group.DAY, report.days.last),
        "game": values.get(Group.GAME, report.game),
        "case": values.get(Group.CASE, report.case),
        "price": values.get(Group.PRICE, report.price),
    }
    if query["case"] or query["price"]:
        query["by"] = "day"
    elif query["game"]:
        query["by"] = "price" if query["game"] == UPGRADER else "case"
    else:
        query["by"] = "game"
    return with_parameters("office.reports", query)


def _cells(figures: Figures) -> list[Any]:
    amounts = (figures.wagered, figures.paid, figures.revenue, figures.expected_revenue)
    ratios = (figures.return_to_player, figures.expected_return, *(figures.band or (None, None)))
    shown = ["" if ratio is None else f"{ratio:.6f}" for ratio in ratios]
    return [figures.bets, *map(amount, amounts), *shown]


def _sums(payments: Iterable[PaymentsOfMethod]) -> dict[str, Cents]:
    """The amount of all payments of each type."""
    sums: dict[str, Cents] = {}
    for each in payments:
        sums[each.type] = Cents(sums.get(each.type, 0) + each.amount)
    return sums


def _csv_address(endpoint: str) -> str:
    """The file with all lines of this page."""
    return with_parameters(endpoint, request.args)


def _csv(name: str, days: Days, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Response:
    return csv_file(f"{name}-{days.first}-to-{days.last}", header, rows)
