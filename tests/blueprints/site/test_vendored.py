"""socket.io-client is the published build, unchanged."""

import hashlib
import json
from pathlib import Path

import pytest

from bench.harness.servers import ROOT

PACKAGE = ROOT / "tests/js/node_modules/socket.io-client"
(VENDORED,) = (ROOT / "blueprints/site/static/vendor").iterdir()


# The package is there when the clients of the tests are installed, as for tests that run Node.js.
@pytest.mark.process
@pytest.mark.parametrize("name", ["dist/socket.io.esm.min.js", "LICENSE"])
def test_a_vendored_file_is_that_of_its_package(name):
    vendored, published = VENDORED / Path(name).name, PACKAGE / name

    assert vendored.read_bytes() == published.read_bytes()
    version = json.loads((PACKAGE / "package.json").read_text())["version"]
    assert VENDORED.name == f"socket.io-client-{version}"


def test_vendored_files_have_their_recorded_checksums():
    recorded = dict(line.split()[::-1] for line in (VENDORED / "SHA256SUMS").read_text().splitlines())
    files = [path for path in VENDORED.iterdir() if path.name != "SHA256SUMS"]

    assert recorded == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
