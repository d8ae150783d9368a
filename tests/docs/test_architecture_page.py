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


@pytest.mark.parametrize("part", lines.PARTS)
def test_the_lines_of_a_part_are_about_those_that_the_page_says(part):
    files = lines.product_files()
    counted = sum(count for name, count in files.items() if name.startswith(lines.PARTS[part]))

    assert counted == pytest.approx(int(ROWS[part][1].replace(",", "")), rel=0.3)


@pytest.mark.parametrize("part", lines.PARTS)
def test_the_command_that_prints_a_figure_exists(part):
    modules = re.findall(r"`python -m ([\w.]+)", ROWS[part][2])
    tests = re.findall(r"`pytest (\S+)`", ROWS[part][2])

    assert modules + tests
    assert [module for module in modules if importlib.util.find_spec(module) is None] == []
    assert [path for path in tests if not (ROOT / path).is_file()] == []
