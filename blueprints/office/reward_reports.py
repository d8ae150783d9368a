"""The report of rewards: what they cost by day and kind, beside what the house expected to win."""

from flask import Response, render_template

from blueprints.office import charts
from blueprints.office.access import require_permission
from blueprints.office.addresses import Days, days_of_address, usual_days
from blueprints.office.blueprint import office
from blueprints.office.csv_files import amount
from blueprints.office.reports import csv_address, report_file
from models.rewards import RewardKind
from server.current_services import get_services
from services.alarms import rewards as alarm
from services.figures import reward_costs
from services.shared.money import NO_COINS
from services.staff.permissions import Permission


@office.get("/reports/rewards")
@require_permission(Permission.REPORTS_SEE)
def report_of_rewards() -> str:
    now = get_services().clock()
    days = days_of_address(now)
    found, week = reward_costs.by_day(*days), reward_costs.of_last_days(alarm.DAYS, now=now)
    return render_template(
        "office/report-of-rewards.html",
        days=days,
        found=found,
        total=reward_costs.total(found),
        kinds=list(RewardKind),
        chart=_chart(days),
        week=alarm.describe(week),
        is_too_much=alarm.is_too_much(week),
        most_share=alarm.MOST_SHARE,
        least_cents=alarm.LEAST_CENTS,
        csv=csv_address("office.report_of_rewards_csv"),
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
    header = ("day", *RewardKind, "total", "expected win", "share of the expected win")
    return report_file("rewards", days, header, rows)


def _chart(days: Days) -> charts.Chart:
    days = charts.shown_days(days)
    with_earlier = Days(charts.before(days).since, days.until)
    return charts.rewards_chart(days, reward_costs.by_day(*with_earlier))
