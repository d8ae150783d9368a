"""Every guarantee, defence and clause of a standard has tests, and so has every file with its own SQL."""

import re

import pytest

from tests.lists import PAGES, ROOT, by_entry, files_with_sql


@pytest.mark.parametrize("marker", PAGES)
def test_every_entry_of_the_page_has_tests(marker):
    page, entry = PAGES[marker]
    entries = re.findall(entry, (ROOT / page).read_text(), re.MULTILINE)

    assert len(entries) > 15
    assert set(by_entry(marker)) == set(entries)


def test_every_file_with_its_own_sql_has_a_test_on_both_databases():
    files, reasons = files_with_sql(), by_entry("both_databases")

    untested = [file for file in files if file not in reasons]
    assert len(files) > 30
    assert not untested, "\n".join(["no test has the marker both_databases with:", *untested])
    gone = [reason for reason in reasons if reason.endswith(".py") and not (ROOT / reason).is_file()]
    assert gone == []
