"""Every guarantee, defence and clause of a standard has tests, and the tests that are named exist."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
PAGES = [
    ("docs/guarantees.md", r"^\| \*\*(.+?)\*\*", "GUARANTEE_TESTS.md"),
    ("SECURITY.md", r"^- \*\*(.+?)\.\*\* ", "SECURITY_TESTS.md"),
    ("docs/regulation.md", r"^\| \*\*(.+?)\*\*", "REGULATION_TESTS.md"),
]


def listed_in(list_of_tests):
    """The files and names of the tests in each section of the list."""
    sections = (TESTS / list_of_tests).read_text().split("\n## ")[1:]
    return {section.partition("\n")[0]: re.findall(r"`([\w/]+\.py)::(\w+)`", section) for section in sections}


def functions_of(file):
    """The names of the functions of a file, including those in classes."""
    path = TESTS / file
    return set(re.findall(r"^ *def (\w+)\(", path.read_text() if path.is_file() else "", re.MULTILINE))


@pytest.mark.parametrize(("page", "entry", "list_of_tests"), PAGES)
def test_every_entry_of_the_page_has_tests_and_they_exist(page, entry, list_of_tests):
    entries = re.findall(entry, (TESTS.parent / page).read_text(), re.MULTILINE)
    sections = listed_in(list_of_tests)

    assert len(entries) > 15
    assert list(sections) == entries
    assert [name for name, tests in sections.items() if not tests] == []
    named = [test for tests in sections.values() for test in tests]
    functions = {file: functions_of(file) for file in {file for file, _ in named}}
    assert [f"{file}::{name}" for file, name in named if name not in functions[file]] == []
