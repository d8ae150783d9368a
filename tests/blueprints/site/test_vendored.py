"""The libraries of the page are the published builds, or made of the published sources by one command."""

import hashlib
import json

import pytest

from tests.harness.node import node
from tests.harness.servers import ROOT

PACKAGES = ROOT / "tests/js/node_modules"
VENDOR = ROOT / "blueprints/site/static/vendor"
PUBLISHED = {"socket.io-client": "dist", "lit-html": "."}
"""The libraries, and where their packages have the files."""

FILES = [
    pytest.param(library, path.relative_to(folder), id=f"{library}/{path.relative_to(folder)}")
    for library in PUBLISHED
    for folder in VENDOR.glob(f"{library}-*")
    for path in sorted(folder.rglob("*"))
    if path.is_file() and path.name != "SHA256SUMS"
]


# The packages are there when the clients of the tests are installed, as for tests that run Node.js.
@pytest.mark.process
@pytest.mark.parametrize(("library", "name"), FILES)
def test_a_vendored_file_is_that_of_its_package(library, name):
    package = PACKAGES / library
    version = json.loads((package / "package.json").read_text())["version"]
    published = package / ("." if name.name == "LICENSE" else PUBLISHED[library]) / name

    assert (VENDOR / f"{library}-{version}" / name).read_bytes() == published.read_bytes()


@pytest.mark.process
def test_the_curves_are_made_of_their_package(tmp_path):
    package = PACKAGES / "@noble/curves"
    version = json.loads((package / "package.json").read_text())["version"]
    made = tmp_path / "bls12-381.min.js"

    node("bundle_curves.mjs", made)

    folder = VENDOR / f"noble-curves-{version}"
    assert (folder / made.name).read_bytes() == made.read_bytes()
    assert (folder / "LICENSE").read_bytes() == (package / "LICENSE").read_bytes()


@pytest.mark.parametrize("folder", sorted(VENDOR.iterdir()), ids=lambda folder: folder.name)
def test_vendored_files_have_their_recorded_checksums(folder):
    recorded = dict(line.split()[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS"]

    found = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    assert recorded == found
