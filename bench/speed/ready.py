"""Peers that return exactly the bytes of a real response."""

import http.client
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from bench.peers.ready_answer import ReadyAnswer
from bench.speed.http_load import Get
from bench.speed.stage import Stage
from tests.harness.servers import RunningServer, gunicorn

BARE_WSGI = "bench.peers.bare_wsgi:app"
FLASK = "bench.peers.ready_flask:app"

KEPT = ("content-type", "content-encoding")
"""Headers that a client needs to read the body. Other headers are the platform's own cost."""


def fetch(server: RunningServer, get: Get) -> ReadyAnswer:
    """Request once, without decoding. Raises AssertionError unless the response is 200."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", get.path, headers=dict(get.headers))
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, (get.path, answer.status, body[:200])
    headers = {name.title(): value for name, value in answer.getheaders() if name.lower() in KEPT}
    return ReadyAnswer(get.path, headers, body)


@contextmanager
def ready_peer(stage: Stage, target: str, answer: ReadyAnswer) -> Iterator[RunningServer]:
    """A peer that returns this response, under the platform's own worker."""
    with tempfile.NamedTemporaryFile(dir=stage.directory) as file:
        head = {"path": answer.path, "headers": answer.headers}
        file.write(json.dumps(head).encode() + b"\n" + answer.body)
        file.flush()
        with stage.server(gunicorn(target), {"PEER_ANSWER": file.name}) as server:
            yield server
