"""Requests /healthz again and again, from a process of its own, which the work of this one does not delay."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.harness.line_process import line_process
from tests.harness.servers import RunningServer

PROGRAM = """
import http.client, select, sys, time

connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
longest = 0.0
print("true", flush=True)
while not select.select([sys.stdin], [], [], float(sys.argv[2]))[0]:
    began = time.perf_counter()
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    longest = max(longest, time.perf_counter() - began)
print(longest * 1000, flush=True)
"""


@dataclass
class Health:
    """The slowest answer, known after the block."""

    longest_ms: float = 0.0


@contextmanager
def watched_health(server: RunningServer, *, every_seconds: float = 0.003) -> Iterator[Health]:
    """Request /healthz on one connection during the block, with this time between two requests."""
    with line_process([sys.executable, "-c", PROGRAM, server.port, every_seconds]) as process:
        assert process.answer(), "it watches"
        health = Health()
        yield health
        health.longest_ms = process.ask("stop")
