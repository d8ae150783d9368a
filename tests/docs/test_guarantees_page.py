"""docs/guarantees.md names commands that exist."""

import re

from tests.harness.servers import ROOT

PAGE = (ROOT / "docs" / "guarantees.md").read_text()
COMMANDS = [row.rsplit(" | ", 1)[1] for row in PAGE.splitlines() if row.startswith("| **")]


def test_every_guarantee_names_a_command_that_exists(app):
    missing = [cell for cell in COMMANDS if not is_command(cell.strip("`| "), app)]

    assert len(COMMANDS) > 15
    assert missing == []


def is_command(command, app):
    """Whether this is a target of make, a command of flask, a file of tests, or a module of bench."""
    match command.split():
        case ["make", target]:
            return re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE) is not None
        case ["pytest", file]:
            return (ROOT / file).is_file()
        case ["flask", group, name, *_]:
            return name in getattr(app.cli.commands.get(group), "commands", {})
        case ["python", "-m", module, *arguments]:
            place = ROOT / module.replace(".", "/")
            script = place / "__main__.py" if place.is_dir() else place.with_suffix(".py")
            options = [argument for argument in arguments if argument.startswith("--")]
            return script.is_file() and all(f'"{option}"' in script.read_text() for option in options)
    return False
