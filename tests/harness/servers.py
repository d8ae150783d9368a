"""Runs the app for real clients: on threads in this process, or as the production server."""

import base64
import itertools
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn
from wsgiref.types import WSGIApplication

from flask import Flask
from werkzeug import Request
from werkzeug.serving import WSGIRequestHandler, make_server

from tests.harness.waiting import wait_until, within

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60

# Below the ephemeral ports, and above 10080, which browsers refuse. Each worker of a test run has its own.
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_count = 21_900 // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
_ports = itertools.cycle(range(10_100 + _count * _worker, 10_100 + _count * (_worker + 1)))


def drawn_secrets() -> dict[str, str]:
    """The secrets that production requires, new ones."""
    names = ("SECRET_KEY", "JWT_SECRET")
    key = base64.b64encode(secrets.token_bytes(32)).decode()
    return {name: secrets.token_hex(32) for name in names} | {"LOG_SIGNING_KEY": key}


class _Quiet(WSGIRequestHandler):
    def log(self, *args: Any) -> None:
        """Log nothing: tests read the log of the app itself."""


@contextmanager
def serving(application: WSGIApplication) -> Iterator[str]:
    """Serve a WSGI application on threads of this process; yields its address."""
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=_Quiet)
    server.daemon_threads = True
    # As gunicorn does. Without it, every answer of two packets takes 40 ms.
    server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


def hang_up(request: Request) -> NoReturn:
    """Close the connection of a request without an answer."""
    request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
    raise ConnectionAbortedError


@contextmanager
def threaded_server(app: Flask) -> Iterator[str]:
    """Serve an app with its sockets, as ``flask run`` does; yields its address."""
    app.extensions["realtime"].start()
    with serving(app) as url:
        try:
            yield url
        finally:
            come_to_rest(app)


def come_to_rest(app: Flask) -> None:
    """Close all sockets of an app, and wait until its background work has ended."""
    realtime, spinning = app.extensions["realtime"], app.extensions["services"].player_locks
    realtime.close()
    wait_until(lambda: not realtime.connections and not realtime.in_flight and not spinning)


@dataclass
class RunningServer:
    """A server process, its address, and the files of its standard output and error."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path
    output: Path

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def stop(self, *, timeout: float = 30) -> int:
        """Send SIGTERM to it. Returns its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let it and its workers stand still during the block, with all their connections open."""
        os.killpg(self.process.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.killpg(self.process.pid, signal.SIGCONT)

    def kill(self) -> None:
        """Kill it and its workers, as a crash would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)


def start_process(command: list[str], *, env: dict[str, str], log: Path, output: Path, cwd: Path) -> Any:
    with log.open("wb") as stderr, output.open("wb") as stdout:
        return subprocess.Popen(
            command, cwd=cwd, env=env, stderr=stderr, stdout=stdout, start_new_session=True
        )


@contextmanager
def server_process(
    command: list[str],
    env: Mapping[str, str],
    directory: Path,
    *,
    cwd: Path = ROOT,
    port: int | None = None,
    start: Callable[..., Any] = start_process,
) -> Iterator[RunningServer]:
    """Start a server command with ``PORT`` set, wait until it answers, and stop it afterwards."""
    port = port or free_port()
    log, output = directory / f"server-{port}.log", directory / f"server-{port}.out"
    process = start(
        [arg.replace("{port}", str(port)) for arg in command],
        env={**os.environ, **env, "PORT": str(port)},
        log=log,
        output=output,
        cwd=cwd,
    )
    running = RunningServer(f"http://127.0.0.1:{port}", process, log, output)
    try:
        _wait_until_it_answers(running)
        yield running
    finally:
        if process.poll() is None:
            running.kill()


def gunicorn(target: str = "wsgi:app") -> list[str]:
    return [sys.executable, "-m", "gunicorn", "-c", "gunicorn.conf.py", target]


def flask_run() -> list[str]:
    return [*flask_command(), "run", "--port", "{port}"]


def flask_command() -> list[str]:
    return [sys.executable, "-m", "flask"]


def free_port() -> int:
    """A port that neither a client nor another test worker takes before its server does."""
    for port in _ports:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")


def _wait_until_it_answers(running: RunningServer) -> None:
    """Raises AssertionError with the end of its log when it does not start."""
    waiting = threading.Event()
    with suppress(TimeoutError):
        for _ in within(START_SECONDS):
            if running.process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{running.url}/healthz", timeout=5).close()
            except OSError:
                waiting.wait(0.05)
            else:
                return
    raise AssertionError(f"the server did not start:\n{running.log.read_text()[-4000:]}")
