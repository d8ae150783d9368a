"""Every guarantee, defence and clause of a standard has tests, and no test names another one."""

import re

import pytest

from tests.lists import PAGES, TESTS, by_entry


@pytest.mark.parametrize("marker", PAGES)
def test_every_entry_of_the_page_has_tests(marker):
    page, entry = PAGES[marker]
    entries = re.findall(entry, (TESTS.parent / page).read_text(), re.MULTILINE)

    assert len(entries) > 15
    assert set(by_entry(marker)) == set(entries)
