"""SECURITY.md names tests that are there."""

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PAGE = (TESTS.parent / "SECURITY.md").read_text()
NAMED = re.findall(r"`([\w/]+\.py)::(\w+)`", PAGE)


def names_in(file):
    """The names of the functions of a file, those in classes too."""
    tree = ast.parse((TESTS / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_test_that_the_page_names_is_there():
    missing = [
        f"{file}::{name}" for file, name in NAMED if not (TESTS / file).exists() or name not in names_in(file)
    ]

    assert len(NAMED) > 30
    assert missing == []


def test_every_attack_has_a_test():
    attacks = [
        line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| attack")
    ]

    assert [line for line in attacks if "::test_" not in line] == []
