"""docs/settings.md and .env.example have every setting, with its default."""

import re
from dataclasses import fields

import pytest

from settings import Settings
from tests.harness.servers import ROOT

DEFAULTS = {each.metadata["name"]: each.metadata["default"] for each in fields(Settings)}
ENTRIES = {
    "docs/settings.md": r"^\| `([A-Z_]+)` \| (.+?) \|",
    ".env.example": r"^#([A-Z_]+)=(.*)$",
}


@pytest.mark.parametrize("page", ENTRIES)
def test_every_setting_is_listed_with_its_default_and_no_other(page):
    listed = re.findall(ENTRIES[page], (ROOT / page).read_text(), re.MULTILINE)
    assert sorted(name for name, _ in listed) == sorted(DEFAULTS)
    # docs/settings.md describes some defaults in words.
    written = {name: cell.strip("`") for name, cell in listed if page == ".env.example" or cell[0] == "`"}

    wrong = {name: value for name, value in written.items() if value != expected(name, value)}

    assert len(written) > 15
    assert wrong == {}


def expected(name, written):
    """The default of a setting. One that is made from other settings is described in words of the page."""
    return written if "{" in DEFAULTS[name] else DEFAULTS[name]
