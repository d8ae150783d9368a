"""The answer that a peer has ready, and what the worker expects of a program beside answering."""

import json
import os
from dataclasses import dataclass
from pathlib import Path


class NoSockets:
    """What the worker starts, waits for and closes: sockets, of which a peer has none."""

    tasks = ()

    def start(self) -> None:
        """There are none."""

    def close(self) -> None:
        """There are none."""


@dataclass(frozen=True)
class ReadyAnswer:
    """One path, and the whole answer to it."""

    path: str
    headers: dict[str, str]
    body: bytes


def ready_answer() -> ReadyAnswer:
    """From the file ``PEER_ANSWER``: path and headers as JSON on its first line, then the body."""
    first, _, body = Path(os.environ["PEER_ANSWER"]).read_bytes().partition(b"\n")
    head = json.loads(first)
    return ReadyAnswer(head["path"], head["headers"], body)
