"""A bare WSGI program that returns ready bytes, under the very worker that serves the platform.

``PEER_ANSWER`` is a file with what it answers to everything: its headers as a JSON object on the first line,
and then the body.
"""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


class NoSockets:
    """What the worker expects of a program: sockets that it starts, waits for and closes."""

    tasks = ()

    def start(self) -> None:
        """There are none."""

    def close(self) -> None:
        """There are none."""


class ReadyAnswer:
    """The program."""

    def __init__(self, headers: dict[str, str], body: bytes) -> None:
        self._headers = [*headers.items(), ("Content-Length", str(len(body)))]
        self._body = [body]
        self.extensions = {"realtime": NoSockets()}

    def __call__(self, _environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", self._headers)
        return self._body


def read_answer(path: str) -> tuple[dict[str, str], bytes]:
    """Headers and body."""
    first, _, body = Path(path).read_bytes().partition(b"\n")
    return json.loads(first), body


app = ReadyAnswer(*read_answer(os.environ["PEER_ANSWER"]))
