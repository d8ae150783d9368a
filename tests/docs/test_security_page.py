"""Every defence of SECURITY.md is shown by tests, which tests/SECURITY_TESTS.md names."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
DEFENCES = re.findall(r"^- \*\*(.+?)\.\*\* ", (TESTS.parent / "SECURITY.md").read_text(), re.MULTILINE)
SECTIONS = {
    section.partition("\n")[0]: re.findall(r"`([\w/]+\.py)::(\w+)`", section)
    for section in (TESTS / "SECURITY_TESTS.md").read_text().split("\n## ")[1:]
}


def functions_of(file):
    """The names of the functions of a file, including those in classes."""
    path = TESTS / file
    tree = ast.parse(path.read_text() if path.is_file() else "")
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_defence_has_tests():
    assert len(DEFENCES) > 20
    assert list(SECTIONS) == DEFENCES
    assert [name for name, tests in SECTIONS.items() if not tests] == []


def test_every_named_test_exists():
    named = [test for tests in SECTIONS.values() for test in tests]

    assert [f"{file}::{name}" for file, name in named if name not in functions_of(file)] == []
