"""Runs the app for real clients: on threads in this process, or as the production server."""

import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from flask import Flask
from werkzeug.serving import make_server

from bench.harness.waiting import wait_until, within

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60

# Below the ephemeral ports. Each worker of a parallel test run has its own.
_worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_ports = itertools.cycle(range(10_000 + 2_000 * _worker, 12_000 + 2_000 * _worker))


@contextmanager
def threaded_server(app: Flask, *, port: int = 0) -> Iterator[str]:
    """Serve an app of this process, as ``flask run`` does; yields its address."""
    server = make_server("127.0.0.1", port, app, threaded=True)
    server.daemon_threads = True
    # As gunicorn does. Without it, every answer of two packets takes 40 ms.
    server.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    app.extensions["realtime"].start()
    thread = threading.Thread(target=server.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        come_to_rest(app)
        server.shutdown()
        thread.join(10)
        server.server_close()


def come_to_rest(app: Flask) -> None:
    """Close all sockets of an app, and wait until its background work has ended."""
    realtime, spinning = app.extensions["realtime"], app.extensions["services"].player_locks
    realtime.close()
    wait_until(lambda: not realtime.connections and not realtime.tasks and not spinning)


@dataclass
class RunningServer:
    """A server process, its address, and the files of its standard output and error."""

    address: str
    process: subprocess.Popen[bytes]
    log: Path
    output: Path
    others: list["RunningServer"] = field(default_factory=list)
    """Further processes that serve the same app."""
    _turns: Iterator[int] = field(default_factory=itertools.count)

    @property
    def url(self) -> str:
        """The address; with others, the address of each process in turn."""
        return [self, *self.others][next(self._turns) % (1 + len(self.others))].address

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def stop(self, *, timeout: float = 30) -> int:
        """Send SIGTERM to it and to the others. Returns its exit code."""
        for each in self.others:
            each.stop(timeout=timeout)
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout)

    def kill(self) -> None:
        """Kill it, its workers and the others, as a crash would."""
        for each in self.others:
            each.kill()
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(30)


@contextmanager
def server_process(
    command: list[str],
    env: Mapping[str, str],
    directory: Path,
    *,
    cwd: Path = ROOT,
    port: int | None = None,
) -> Iterator[RunningServer]:
    """Start a server command with ``PORT`` set, wait until it answers, and stop it afterwards.

    When ``env`` has ``PROCESSES``, gunicorn is started so many times.
    """
    others = int(env.get("PROCESSES", "1")) - 1 if "gunicorn" in command else 0
    with ExitStack() as stack:
        running = stack.enter_context(_one_process(command, env, directory, cwd=cwd, port=port))
        for _ in range(others):
            running.others.append(stack.enter_context(_one_process(command, env, directory, cwd=cwd)))
        yield running


@contextmanager
def _one_process(
    command: list[str], env: Mapping[str, str], directory: Path, *, cwd: Path, port: int | None = None
) -> Iterator[RunningServer]:
    port = port or free_port()
    log, output = directory / f"server-{port}.log", directory / f"server-{port}.out"
    with log.open("wb") as stderr, output.open("wb") as stdout:
        process = subprocess.Popen(
            [arg.replace("{port}", str(port)) for arg in command],
            cwd=cwd,
            env={**os.environ, **env, "PORT": str(port)},
            stderr=stderr,
            stdout=stdout,
            start_new_session=True,
        )
        running = RunningServer(f"http://127.0.0.1:{port}", process, log, output)
        try:
            wait_until_it_answers(running)
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


def wait_until_it_answers(running: RunningServer) -> None:
    """Raises AssertionError with the end of its log when it does not start."""
    waiting = threading.Event()
    with suppress(TimeoutError):
        for _ in within(START_SECONDS):
            if running.process.poll() is not None:
                break
            try:
                urllib.request.urlopen(f"{running.address}/healthz", timeout=5).close()
            except OSError:
                waiting.wait(0.05)
            else:
                return
    raise AssertionError(f"the server did not start:\n{running.log.read_text()[-4000:]}")
