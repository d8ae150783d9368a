"""Peers that return the very bytes of a real answer."""

import http.client
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.harness.servers import RunningServer
from bench.speed.asking import Get, port_of
from bench.speed.stage import Stage

BARE_WSGI = "bench.peers.bare_wsgi:app"
FLASK = "bench.peers.ready_flask:app"

KEPT = ("content-type", "content-encoding")
"""What a client must be told to understand the body. All else that the platform sends is its own cost."""


@dataclass(frozen=True)
class Answer:
    """The bytes of an answer as they came, and the headers that describe them."""

    path: str
    headers: dict[str, str]
    body: bytes


def fetch(server: RunningServer, get: Get) -> Answer:
    """Ask once, without decoding. Raises AssertionError unless the answer is 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port_of(server), timeout=60)
    connection.request("GET", get.path, headers=dict(get.headers))
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, (get.path, answer.status, body[:200])
    headers = {name.title(): value for name, value in answer.getheaders() if name.lower() in KEPT}
    return Answer(get.path, headers, body)


@contextmanager
def ready_peer(stage: Stage, target: str, answer: Answer) -> Iterator[RunningServer]:
    """A peer that has this answer ready, under the platform's own worker."""
    with tempfile.NamedTemporaryFile(dir=stage.directory) as file:
        head = {"path": answer.path, "headers": answer.headers}
        file.write(json.dumps(head).encode() + b"\n" + answer.body)
        file.flush()
        with stage.peer(target, PEER_ANSWER=file.name) as server:
            yield server
