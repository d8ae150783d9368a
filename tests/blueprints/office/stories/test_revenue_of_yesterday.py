"""Yesterday's gross gaming revenue, on the page and in a file."""

import csv
from pathlib import Path

import pytest

from services.shared.clock import iso_date, now_ms
from tests.blueprints.office.stories.conftest import local_player
from tests.harness.spins import DAY_MS
from tests.harness.waiting import wait_until
from tests.support.openings import Openings, chest

pytestmark = pytest.mark.browser


def downloaded(tab):
    """The lines of the report as CSV."""
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Download as CSV").click()
    with Path(download.value.path()).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_yesterdays_revenue_is_read_from_the_report_and_from_the_csv(site, player, new_person):
    yesterday = now_ms() - DAY_MS
    day = iso_date(yesterday)
    with site.app(clock=lambda: yesterday) as app:
        for item in ("Dust", "Crown"):
            Openings(app).open(local_player(player), chest("story-desk"), wins=item)
    person = new_person("auditor")

    tab = person.open("Reports")
    tab.get_by_label("By").select_option("case")
    tab.get_by_label("From (UTC)").fill(day)
    tab.get_by_label("To (UTC)").fill(day)
    tab.get_by_role("button", name="Show").click()
    row = tab.get_by_role("row").filter(has_text="story-desk")
    # The figures have a bet when the public log has it.
    wait_until(lambda: row.count() or (tab.reload() and False))
    # Two openings for five coins, which paid one coin and forty.
    cells = [text.strip() for text in row.get_by_role("cell").all_inner_texts()]
    assert cells[1:5] == ["2", "10.00", "41.00", "\u221231.00"]
    (line,) = (each for each in downloaded(tab) if each["case"] == "story-desk")
    assert line["gross gaming revenue"] == "-31.00"
