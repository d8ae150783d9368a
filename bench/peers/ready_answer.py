"""The fixed response of a peer, and the interface that the worker expects of a program."""

import json
import os
from dataclasses import dataclass
from pathlib import Path


class NoSockets:
    """The socket server that the worker starts, waits for and closes. A peer has no sockets."""

    tasks = ()

    def start(self) -> None:
        """There are none."""

    def close(self) -> None:
        """There are none."""


@dataclass(frozen=True)
class ReadyAnswer:
    """A path and its whole response."""

    path: str
    headers: dict[str, str]
    body: bytes


def ready_answer() -> ReadyAnswer:
    """From the file ``PEER_ANSWER``: path and headers as JSON on its first line, then the body."""
    first, _, body = Path(os.environ["PEER_ANSWER"]).read_bytes().partition(b"\n")
    head = json.loads(first)
    return ReadyAnswer(head["path"], head["headers"], body)
