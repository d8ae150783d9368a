"""Writes ``.env.example`` and ``docs/settings.md`` from the table in ``settings.py``."""

import inspect
import re
import textwrap
from dataclasses import fields
from pathlib import Path

from settings import Settings

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = {
    "APP_ENV": "Server",
    "DATABASE_URL": "Database and Redis",
    "SECRET_KEY": "Secrets",
    "PLATFORM_OPENID_URL": "Login",
    "CATALOGUE_TTL": "Games",
    "RAKEBACK_RATE": "Rewards",
    "BEACON_URLS": "Battles",
    "GAME_MIN_CYCLE_SECONDS": "Accounts and responsible gambling",
    "PRICE_FEED_URL": "Prices",
    "OFFICE_ENABLED": "Back office",
    "PAYMENT_METHODS": "Payments",
}
"""The headings of the page, by the setting that each comes before."""

INTRODUCTION = """\
# Settings

<!-- `make settings` writes this page and .env.example from settings.py. -->

The server reads settings from the environment, or from the file `.env` in the directory in which
`flask` or `gunicorn` starts, or else in the nearest directory above it. The environment takes
precedence. To begin, copy [`.env.example`](../.env.example) to `.env`. A blank value counts as not
set. Numbers are digits with at most one decimal point. A bad value stops the start with a line that
names it, and `flask check` reports all of them.
"""

HEAD_OF_EXAMPLE = """\
# Every setting, with its default; docs/settings.md has the same texts. Copy this file to .env: flask and
# gunicorn read it when they start in this directory. A variable of the environment takes precedence.
"""


def settings() -> list[tuple[str, str, str]]:
    """Name, default and text of each setting, in the order of the table."""
    rows = re.findall(r'_setting\(\s*"(\w+)".*?\n    """(.+?)"""', inspect.getsource(Settings), re.DOTALL)
    texts = {name: " ".join(text.split()) for name, text in rows}
    defaults = {each.metadata["name"]: each.metadata["default"] for each in fields(Settings)}
    return [(name, default, texts[name]) for name, default in defaults.items()]


def page() -> str:
    """The text of ``docs/settings.md``."""
    lines = [INTRODUCTION.rstrip()]
    for name, default, text in settings():
        if name in SECTIONS:
            lines += ["", f"## {SECTIONS[name]}", ""]
        # Defaults that are made from other settings are in the text.
        shown = f" (`{default}`)" if default and "{" not in default else ""
        lines += textwrap.wrap(
            f"- **`{name}`**{shown}: {text}",
            width=100,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines) + "\n"


def example() -> str:
    """The text of ``.env.example``."""
    parts = [HEAD_OF_EXAMPLE]
    for name, default, text in settings():
        plain = re.sub(r"\[(.+?)\]\(([\w.-]+)[^)]*\)", r"\1 (docs/\2)", text).replace("`", "")
        comment = textwrap.fill(plain, width=104, initial_indent="# ", subsequent_indent="# ")
        parts.append(f"{comment}\n#{name}={'' if '{' in default else default}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    (ROOT / "docs" / "settings.md").write_text(page())
    (ROOT / ".env.example").write_text(example())
