"""socket.io-client is the published build, unchanged."""

import hashlib
import json

import pytest

from bench.harness.servers import ROOT

PACKAGE = ROOT / "tests/js/node_modules/socket.io-client"
(VENDORED,) = (ROOT / "blueprints/site/static/vendor").iterdir()


@pytest.mark.parametrize("name", ["dist/socket.io.esm.min.js", "LICENSE"])
def test_a_vendored_file_is_that_of_the_package(name):
    vendored, published = VENDORED / name.rpartition("/")[2], PACKAGE / name

    assert vendored.read_bytes() == published.read_bytes()


def test_vendored_files_have_their_recorded_checksums_and_version():
    recorded = dict(line.split()[::-1] for line in (VENDORED / "SHA256SUMS").read_text().splitlines())
    files = [path for path in VENDORED.iterdir() if path.name != "SHA256SUMS"]

    assert recorded == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    version = json.loads((PACKAGE / "package.json").read_text())["version"]
    assert VENDORED.name == f"socket.io-client-{version}"
