"""docs/architecture.md: every part that we wrote ourselves has its row, with its real size."""

import importlib.util
import re

import pytest

from bench import lines
from bench.harness.servers import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()
ROW = re.compile(r"^\| ([^|]+) \| (\d[\d,]*) \| ([^|]+) \|$", re.MULTILINE)
ROWS = {row[0]: row for row in ROW.findall(PAGE)}


def test_every_part_has_its_row_and_its_reason():
    reasons = re.findall(r"^- \*\*(.+?)\*\*[,:] ", PAGE.replace("\n  ", " "), re.MULTILINE)

    assert ROWS.keys() == lines.PARTS.keys()
    assert [reason.lower() for reason in reasons] == [part.lower() for part in ROWS]


def test_the_lines_of_a_part_are_about_those_that_the_page_says():
    files = lines.product_files()
    counted = {
        part: sum(count for name, count in files.items() if name.startswith(paths))
        for part, paths in lines.PARTS.items()
    }

    said = {part: int(row[1].replace(",", "")) for part, row in ROWS.items()}
    assert counted == pytest.approx(said, rel=0.3)


def test_the_commands_that_print_the_figures_exist():
    for part, row in ROWS.items():
        modules = re.findall(r"`python -m ([\w.]+)", row[2])
        tests = re.findall(r"`pytest (\S+)`", row[2])

        assert modules + tests, part
        assert [module for module in modules if importlib.util.find_spec(module) is None] == []
        assert [path for path in tests if not (ROOT / path).is_file()] == []
