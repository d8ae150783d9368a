"""docs/architecture.md: every part that we wrote ourselves has a command that prints its figure."""

import importlib.util
import re

from tests.harness.servers import ROOT

PAGE = " ".join((ROOT / "docs" / "architecture.md").read_text().split())
PARTS = re.findall(r"- \*\*([^*]+)\*\* \(`([^`]+)`\), instead of ", PAGE)


def test_the_commands_that_print_the_figures_exist():
    assert len(PARTS) > 15
    for part, command in PARTS:
        modules = re.findall(r"^python -m ([\w.]+)", command)
        tests = re.findall(r"^pytest (\S+)$", command)

        assert modules + tests, part
        assert [module for module in modules if importlib.util.find_spec(module) is None] == []
        assert [path for path in tests if not (ROOT / path).is_file()] == []
