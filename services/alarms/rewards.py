"""Whether rewards cost nearly as much as the house expects to win."""

from services.alarms.raised import Concern, Found
from services.figures import reward_costs
from services.figures.reward_costs import RewardsOfDay
from services.shared.clock import Millis
from services.shared.money import price_text
from settings import Settings

DAYS = 7
MOST_SHARE = 0.9
"""Of the expected win: as much as the settings of rewards may add up to."""

LEAST_CENTS = 100_00
"""Rewards that cost no more raise no alarm: with few bets a single claim may be above their expected win."""


def find(_settings: Settings, now: Millis) -> Found:
    """The last seven days, if rewards cost too much in them."""
    week = reward_costs.of_last_days(DAYS, now=now)
    return Found([Concern(f"{DAYS} days", describe(week))] if is_too_much(week) else [])


def is_too_much(week: RewardsOfDay) -> bool:
    return week.cost > LEAST_CENTS and week.cost > MOST_SHARE * week.expected_win


def describe(week: RewardsOfDay) -> str:
    """What the check has looked at, in words."""
    share = "" if week.share is None else f" ({week.share:.1%})"
    return (
        f"Rewards of the last {DAYS} days cost {price_text(week.cost)},"
        f" and the expected win is {price_text(week.expected_win)}{share}"
    )
