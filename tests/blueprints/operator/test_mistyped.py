"""A mistyped command prints one line on standard error and exits with 1."""

import os
import subprocess
import sys

import pytest

from bench.harness.servers import ROOT

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

MISTYPED = {
    "an unknown command of a group": ["users", "shwo"],
    "an unknown option": ["seed", "--forse"],
    "an unknown option of a group": ["users", "--nope", "show"],
    "an unknown option of a command of a group": ["users", "show", "--nope"],
    "a missing argument": ["users", "show"],
    "an argument too many": ["users", "show", "1", "2"],
    "a file that is not there": ["items", "import", "nowhere.json"],
}


@pytest.mark.parametrize("arguments", MISTYPED.values(), ids=MISTYPED.keys())
def test_a_mistyped_command_prints_one_line(fails, arguments):
    said = fails(*arguments)

    assert said.startswith("Error: ")
    assert len(said.splitlines()) == 1


@pytest.mark.process
@pytest.mark.parametrize("arguments", [["sed"], ["users", "shwo"]])
def test_a_mistyped_command_prints_one_line_in_a_shell_too(env, arguments):
    command = [sys.executable, "-m", "flask", *arguments]

    ended = subprocess.run(
        command, cwd=ROOT, env=os.environ | env, capture_output=True, text=True, timeout=60, check=False
    )

    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)
