"""Requests /healthz again and again, from a process of its own, which the work of this one does not delay."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.harness.servers import RunningServer

PROGRAM = """
import http.client, select, sys, time

connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=60)
longest = 0.0
print("watching", flush=True)
while not select.select([sys.stdin], [], [], float(sys.argv[2]))[0]:
    began = time.perf_counter()
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    longest = max(longest, time.perf_counter() - began)
print(longest * 1000)
"""


@dataclass
class Health:
    """The slowest answer, known after the block."""

    longest_ms: float = 0.0


@contextmanager
def watched_health(server: RunningServer, *, every_seconds: float = 0.003) -> Iterator[Health]:
    """Request /healthz on one connection during the block, with this time between two requests."""
    command = [sys.executable, "-c", PROGRAM, str(server.port), str(every_seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        health = Health()
        yield health
        process.stdin.close()
        health.longest_ms = float(process.stdout.read())
