"""The pinned lists, the Python that ``make`` installs them with, and ``make run``."""

import os
import re
import runpy
import socket
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.harness.servers import ROOT


def names_in(requirements, environment):
    """The names of those that this Python needs."""
    parsed = map(Requirement, requirements)
    return {
        canonicalize_name(one.name) for one in parsed if not one.marker or one.marker.evaluate(environment)
    }


def required_by(name):
    try:
        return requires(name) or ()
    except PackageNotFoundError:  # one for another Python
        return ()


@pytest.mark.parametrize("version", ["3.11.0", "3.12.0", "3.13.0", "3.14.0"])
@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_a_list_pins_whatever_its_packages_need(file, version):
    python = {"python_full_version": version, "python_version": version.removesuffix(".0"), "extra": ""}
    lines = re.findall(r"^(\w.*?) \\$", (ROOT / file).read_text(), re.MULTILINE)

    pinned = names_in(lines, python)

    missing = {name: names_in(required_by(name), python) - pinned for name in pinned}
    assert {name: needs for name, needs in missing.items() if needs} == {}


@pytest.mark.parametrize("version", [(3, 10, 14), (3, 15, 0)])
def test_another_python_is_refused_in_one_line(version, monkeypatch):
    monkeypatch.setattr(sys, "version_info", version)

    with pytest.raises(SystemExit, match=r"\APython 3\.11 to 3\.14 is needed: make PYTHON=python3\.11\Z"):
        runpy.run_path(str(ROOT / ".ci" / "check_python.py"))


@pytest.mark.process
def test_a_taken_port_is_one_sentence_before_anything_is_printed():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = ["make", "--no-print-directory", "--old-file=.venv/installed", "run", f"PORT={port}"]
        # Without the flags of the make that runs the tests.
        env = {name: value for name, value in os.environ.items() if "MAKE" not in name}
        ran = subprocess.run(
            command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=60, check=False
        )

    said = f"Port {port} is not free: choose another one, such as make run PORT=8000."
    assert (ran.returncode, ran.stdout, ran.stderr.splitlines()[0]) == (2, "", said)
