"""docs/architecture.md: every part that we wrote ourselves has its entry, with its real size."""

import importlib.util
import re

import pytest

from bench import lines
from bench.harness.servers import ROOT

PAGE = " ".join((ROOT / "docs" / "architecture.md").read_text().split())
ENTRY = re.compile(r"- \*\*([^*]+)\*\* \((\d[\d,]*) lines, `([^`]+)`\), instead of ")
ENTRIES = {name.lower(): (count, command) for name, count, command in ENTRY.findall(PAGE)}
PARTS = {part.lower(): paths for part, paths in lines.PARTS.items()}


def test_every_part_has_its_entry_and_its_reason():
    assert ENTRIES.keys() == PARTS.keys()


def test_a_parts_line_count_matches_the_architecture_page():
    files = lines.product_files()
    counted = {
        part: sum(count for name, count in files.items() if name.startswith(paths))
        for part, paths in PARTS.items()
    }

    said = {part: int(count.replace(",", "")) for part, (count, _) in ENTRIES.items()}
    assert counted == pytest.approx(said, rel=0.3)


def test_the_commands_that_print_the_figures_exist():
    for part, (_, command) in ENTRIES.items():
        modules = re.findall(r"^python -m ([\w.]+)", command)
        tests = re.findall(r"^pytest (\S+)$", command)

        assert modules + tests, part
        assert [module for module in modules if importlib.util.find_spec(module) is None] == []
        assert [path for path in tests if not (ROOT / path).is_file()] == []
