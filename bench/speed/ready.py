"""Peers that return the very bytes of a real answer."""

import http.client
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.speed.stage import Stage, port_of
from tests.support.servers import RunningServer

KEPT = ("content-type", "content-encoding")
"""What a client must be told to understand the body. All else that the platform sends is its own cost."""


@dataclass(frozen=True)
class Answer:
    """The bytes of an answer as they came, and the headers that describe them."""

    headers: dict[str, str]
    body: bytes


def fetch(server: RunningServer, path: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Ask once, without decoding. Raises AssertionError unless the answer is 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=60)
    connection.request("GET", path, headers=dict(headers or {}))
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, (path, answer.status, body[:200])
    return Answer({k.title(): v for k, v in answer.getheaders() if k.lower() in KEPT}, body)


@contextmanager
def ready_peer(stage: Stage, target: str, answer: Answer) -> Iterator[RunningServer]:
    """A peer that answers everything with this, under the platform's own worker."""
    with tempfile.NamedTemporaryFile(dir=stage.directory, delete=False) as file:
        file.write(json.dumps(answer.headers).encode() + b"\n" + answer.body)
    with stage.peer(target, PEER_ANSWER=file.name) as server:
        yield server
    Path(file.name).unlink()
