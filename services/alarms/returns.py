"""Return to player: whether games, cases and classes of price pay what their chances promise.

A sum of payouts is compared with its mean by the chances of the bets. How far from it a fair one can be says
Bernstein's inequality, from the variance and the most that one bet could pay. Unlike a number of standard
deviations it also holds for few bets, and for cases that rarely pay much; and for players who choose their
bets by what they won before, as its form for martingales (Freedman's) does.

All comparisons of a month together have a false alarm less than once, whatever their number: each gets an
equal share of that.
"""

from math import log, sqrt

from services.alarms.raised import Concern, Found
from services.figures import returns
from services.figures.bet_figures import BetFigures
from services.figures.returns import Group
from services.shared.clock import DAY_MS, CalendarPeriod, Millis, iso_date
from settings import Settings

FALSE_ALARMS_A_MONTH = 1.0
"""At the most, in the mean."""

CHECKS_A_MONTH = 31 * 24
SIDES = 2
"""Too much and too little."""

DAYS = (1, 7, 30)

Subjects = dict[str, BetFigures]


def find(_settings: Settings, now: Millis) -> Found:
    """All that pays more or less than a fair site could."""
    windows = {name: _subjects(since, until) for name, (since, until) in _windows(now).items()}
    comparisons = SIDES * CHECKS_A_MONTH * sum(map(len, windows.values()))
    concerns = []
    for window, subjects in windows.items():
        for subject, sums in subjects.items():
            if abs(sums.paid - sums.expected) > furthest(sums, comparisons=comparisons):
                concerns.append(Concern(f"{window}: {subject}", _text(window, subject, sums)))
    return Found(concerns)


def furthest(sums: BetFigures, *, comparisons: int) -> float:
    """How far from their mean payouts can be, in cents, if one of the comparisons may be wrong in a month."""
    exponent = log(comparisons / FALSE_ALARMS_A_MONTH)
    of_one_bet = sums.largest * exponent / 3
    return of_one_bet + sqrt(of_one_bet**2 + 2 * sums.variance * exponent)


def _windows(now: Millis) -> dict[str, tuple[Millis, Millis]]:
    """The first day of each window, and the end of its last one. Today is in all but that of yesterday."""
    today = CalendarPeriod.DAY.start(now)
    end = Millis(today + DAY_MS)
    of_days = {f"{days} days": (Millis(end - days * DAY_MS), end) for days in DAYS[1:]}
    days = {iso_date(day): (day, Millis(day + DAY_MS)) for day in (today, Millis(today - DAY_MS))}
    return days | of_days


def _subjects(since: Millis, until: Millis) -> Subjects:
    """The sums of the bets with a wager, by what is compared."""
    found: Subjects = {}
    for group, figures in returns.lines(
        since=since, until=until, groups=[Group.GAME, Group.CASE, Group.PRICE]
    ):
        game, case_id, price = group
        # Battles have neither.
        names = {game, f"{game} {case_id or price}".rstrip()}
        for name in names:
            if figures.wagered:
                found[name] = found.get(name, BetFigures()) + figures.paid_for
    return found


def _text(window: str, subject: str, sums: BetFigures) -> str:
    period = f"of {window}" if "-" in window else f"of the last {window}"
    return (
        f"The return to player {period} of {subject} is {sums.return_to_player:.2%}; by the chances of the"
        f" {sums.bets} bets it should be {sums.expected_return:.2%}"
        f" ({sums.deviations:+.1f} standard deviations)"
    )
