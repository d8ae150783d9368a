"""How the pages show amounts and times."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

MINUS = "\u2212"


def money_text(cents: int | None) -> str:
    """An amount with two decimals, such as 1,234.50; a dash for none."""
    if cents is None:
        return "\u2013"
    return f"{MINUS if cents < 0 else ''}{abs(cents) // 100:,}.{abs(cents) % 100:02}"


class ShownTime(NamedTuple):
    """A time in UTC: for the browser, and to read."""

    iso: str
    text: str


def shown_time(ms: int) -> ShownTime:
    """The time as ISO 8601, and as 2026-11-26 21:08:00 UTC."""
    at = datetime.fromtimestamp(ms / 1000, UTC)
    return ShownTime(at.strftime("%Y-%m-%dT%H:%M:%SZ"), at.strftime("%Y-%m-%d %H:%M:%S UTC"))


def age_text(ms: int) -> str:
    """How long ago something was: 3 days, 5 hours, 20 minutes."""
    minutes = max(ms, 0) // 60_000
    for number, unit in ((minutes // 1440, "day"), (minutes // 60, "hour"), (minutes, "minute")):
        if number:
            return f"{number} {unit}{'' if number == 1 else 's'}"
    return "a moment"


def json_items(text: str) -> Iterable[tuple[str, Any]]:
    """The names and values of a JSON object. Another text is one value without a name."""
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value.items() if isinstance(value, dict) else [("", value)]
