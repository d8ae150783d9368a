"""Every guarantee, defence and clause of a standard has tests, and the tests that are named exist."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
PAGES = [
    ("docs/guarantees.md", r"^\| \*\*(.+?)\*\*", "GUARANTEE_TESTS.md"),
    ("SECURITY.md", r"^- \*\*(.+?)\.\*\* ", "SECURITY_TESTS.md"),
    ("docs/regulation.md", r"^\| \*\*(.+?)\*\*", "REGULATION_TESTS.md"),
]


@pytest.fixture
def tests_of():
    def read(list_of_tests):
        sections = (TESTS / list_of_tests).read_text().split("\n## ")[1:]
        return {
            section.partition("\n")[0]: re.findall(r"`([\w/]+\.py)::(\w+)`", section) for section in sections
        }

    return read


def functions_of(file):
    """The names of the functions of a file, including those in classes."""
    path = TESTS / file
    tree = ast.parse(path.read_text() if path.is_file() else "")
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(("page", "entry", "list_of_tests"), PAGES)
def test_every_entry_of_the_page_has_tests(tests_of, page, entry, list_of_tests):
    entries = re.findall(entry, (TESTS.parent / page).read_text(), re.MULTILINE)
    sections = tests_of(list_of_tests)

    assert len(entries) > 15
    assert list(sections) == entries
    assert [name for name, tests in sections.items() if not tests] == []


@pytest.mark.parametrize("list_of_tests", [list_of_tests for _, _, list_of_tests in PAGES])
def test_every_named_test_exists(tests_of, list_of_tests):
    named = [test for tests in tests_of(list_of_tests).values() for test in tests]

    assert [f"{file}::{name}" for file, name in named if name not in functions_of(file)] == []
