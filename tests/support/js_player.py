"""A player on the real JavaScript client."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.harness.line_process import LineProcess, line_process
from bench.harness.node import NODE, SCRIPTS


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
