"""The pinned lists, and the Python that ``make`` installs them with."""

import re
import runpy
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
