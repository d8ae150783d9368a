"""docs/commands.md and docs/benchmarks.md list every target, command, option, benchmark and storm."""

import re

import click
import pytest

from blueprints import COMMANDS
from tests.harness.servers import ROOT

PAGE = (ROOT / "docs" / "commands.md").read_text()


def commands():
    """Every command of the platform by its words, such as ``db upgrade``."""
    for command in COMMANDS:
        if isinstance(command, click.Group):
            for name, member in command.commands.items():
                if not member.hidden:
                    yield f"{command.name} {name}", member
        else:
            yield command.name, command


def test_the_table_of_flask_has_every_command_and_no_other():
    listed = re.findall(r"^\| `flask ([a-z -]+?)(?: [A-Z ]+)?` \|", PAGE, re.MULTILINE)

    assert sorted(listed) == sorted(["run", *(name for name, _ in commands())])


def test_every_option_is_named_and_no_other():
    options = {
        name
        for _, command in commands()
        for parameter in command.params
        for name in parameter.opts
        if name.startswith("--")
    }

    assert set(re.findall(r"`(--[a-z-]+)", PAGE)) == options


def test_the_table_of_make_has_every_target_and_no_other():
    phony = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]

    assert sorted(re.findall(r"^\| `make ([\w-]+)` \|", PAGE, re.MULTILINE)) == sorted(phony.split())


@pytest.mark.parametrize("folder", ["bench", "tests/storms"])
def test_the_tables_of_benchmarks_and_storms_have_every_program_and_no_other(folder):
    table = (ROOT / "docs" / "benchmarks.md").read_text()
    scripts = [path.stem for path in (ROOT / folder).glob("*.py") if path.stem != "__init__"]
    packages = [path.parent.name for path in (ROOT / folder).glob("*/__main__.py")]

    package = re.escape(folder.replace("/", "."))
    listed = re.findall(rf"^\| `python -m {package}\.(\w+)` \|", table, re.MULTILINE)
    assert listed == sorted([*scripts, *packages])
