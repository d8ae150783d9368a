"""How the pages show amounts and times."""

from datetime import UTC, datetime
from typing import NamedTuple

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
