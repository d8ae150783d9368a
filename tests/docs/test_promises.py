"""The README's table of promises names commands and tests that are there."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
SECTION = (ROOT / "README.md").read_text().split("## What is promised", 1)[1].split("\n## ", 1)[0]
ROWS = [
    [cell.strip() for cell in line.strip("| ").split(" | ")] for line in SECTION.splitlines() if "**" in line
]
CODE = re.compile(r"`([^`]+)`")


def test_every_promise_has_a_command_and_a_test():
    incomplete = [
        row[0] for row in ROWS if not (len(row) == 4 and CODE.search(row[2]) and CODE.search(row[3]))
    ]

    assert len(ROWS) > 15
    assert incomplete == []


def test_every_test_that_is_named_is_there():
    named = {name for row in ROWS for name in CODE.findall(row[3])}

    assert [name for name in sorted(named) if not is_test(name)] == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_every_command_that_is_named_is_there(app):
    named = {command for row in ROWS for command in CODE.findall(row[2])}

    assert [command for command in sorted(named) if not is_command(command, app)] == []


def is_test(name):
    file, _, function = name.partition("::")
    path = TESTS / file
    tree = ast.parse(path.read_text() if path.is_file() else "")
    return function in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def is_command(command, app):
    """A target of make, one of the app's own commands, or a script with these options."""
    match command.split():
        case ["make", target]:
            return re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE) is not None
        case ["flask", group, name, *_]:
            return name in getattr(app.cli.commands.get(group), "commands", {})
        case ["python", "-m", module, *arguments]:
            place = ROOT / module.replace(".", "/")
            script = place / "__main__.py" if place.is_dir() else place.with_suffix(".py")
            options = [argument for argument in arguments if argument.startswith("--")]
            return script.is_file() and all(f'"{option}"' in script.read_text() for option in options)
    return False


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_is_not_there_is_noticed(app):
    commands = [
        "make nothing",
        "flask ledger nothing",
        "python -m bench.nothing",
        "python -m bench.fuzz --nothing",
    ]

    assert [command for command in commands if is_command(command, app)] == []
    assert not is_test("docs/test_promises.py::test_nothing")
    assert not is_test("server/http/test_nothing.py::test_nothing")
