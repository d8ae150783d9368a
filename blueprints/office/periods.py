"""The days that a report is about, in the address: ``?from=`` and ``?to=``, both included, in UTC."""

from datetime import UTC, datetime
from typing import NamedTuple

from flask import request

from services.shared.clock import DAY_MS, CalendarPeriod, Millis, iso_date

DEFAULT_DAYS = 7


class Days(NamedTuple):
    """From the beginning of the first day to before the end of the last one."""

    since: Millis
    until: Millis

    @property
    def first(self) -> str:
        """The first day, such as 2026-03-18."""
        return iso_date(self.since)

    @property
    def last(self) -> str:
        """The last day."""
        return iso_date(Millis(self.until - DAY_MS))


def days_of_address(now: Millis) -> Days:
    """The days of the address. What is no day is the default: the last seven days."""
    today = CalendarPeriod.DAY.start(now)
    last = _day("to")
    last = today if last is None else last
    first = _day("from")
    if first is None or first > last:
        first = Millis(last - (DEFAULT_DAYS - 1) * DAY_MS)
    return Days(first, Millis(last + DAY_MS))


def usual_days(now: Millis) -> dict[str, Days]:
    """The days that are asked for most, by what the links to them say."""
    today = CalendarPeriod.DAY.start(now)
    tomorrow = Millis(today + DAY_MS)
    return {
        "Today": Days(today, tomorrow),
        "Yesterday": Days(Millis(today - DAY_MS), today),
        "7 days": Days(Millis(today - 6 * DAY_MS), tomorrow),
        "30 days": Days(Millis(today - 29 * DAY_MS), tomorrow),
    }


def _day(name: str) -> Millis | None:
    try:
        day = datetime.strptime(request.args.get(name, ""), "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return Millis(int(day.timestamp()) * 1000)
