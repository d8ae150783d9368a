"""Several processes of the platform."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import requests

from tests.harness.servers import RunningServer, gunicorn, server_process
from tests.harness.waiting import wait_until

PROCESSES = 3


@dataclass
class Process:
    """One gunicorn process of a cluster, which keeps its port and its settings when it is started again."""

    env: Mapping[str, str]
    target: str
    serve: Callable[..., AbstractContextManager[RunningServer]]
    """``server_process``, or a function with the same arguments."""
    directory: Path
    preload: dict[str, str] = field(default_factory=dict)
    """Variables with which the program itself is started, such as those of libfaketime."""
    running: RunningServer | None = None
    _stack: ExitStack = field(default_factory=ExitStack)
    _port: int | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        command, env = gunicorn(self.target), {**self.env, **self.preload}
        serve = server_process if self.preload else self.serve
        self.running = self._stack.enter_context(serve(command, env, self.directory, port=self._port))
        self._port = self.running.port

    def stop(self) -> int:
        """Stop it in order. Returns the exit code."""
        assert self.running is not None
        stopping, self.running = self.running, None
        code = stopping.stop()
        self._stack.close()
        return code

    def kill(self) -> None:
        """Kill it, as a crash would. Does nothing when it does not run."""
        self.running = None
        self._stack.close()


@dataclass
class Cluster:
    """Processes that serve one database."""

    processes: list[Process]
    _turns: Iterator[int] = field(default_factory=itertools.count)

    @property
    def url(self) -> str:
        """The address of a running process, each time the next one's. Raises ConnectionRefusedError."""
        urls = self.urls
        if not urls:
            raise ConnectionRefusedError("no process is running")
        return urls[next(self._turns) % len(urls)]

    @property
    def urls(self) -> list[str]:
        """The addresses of the running processes."""
        return [each.running.url for each in self.processes if each.running]

    @property
    def ports(self) -> list[int]:
        return [each.running.port for each in self.processes if each.running]


@contextmanager
def cluster(
    env: Mapping[str, str],
    directory: Path,
    *,
    processes: int = PROCESSES,
    target: str = "wsgi:app",
    serve: Callable[..., AbstractContextManager[RunningServer]] = server_process,
) -> Iterator[Cluster]:
    """Start so many processes with these settings. For more than one they need ``REDIS_URL``.

    With it, each hears the others' signals from the beginning. ``serve`` starts a process.
    """
    started = Cluster([])
    with ExitStack() as stack:
        for _ in range(processes):
            process = Process(env, target, serve, directory)
            stack.callback(process.kill)
            started.processes.append(process)
        with ThreadPoolExecutor(processes) as at_once:
            list(at_once.map(Process.start, started.processes))
        if "REDIS_URL" in env:
            for url in started.urls:
                wait_until(lambda url=url: _hears_signals(url), step_seconds=0.1)
        yield started


def _hears_signals(url: str) -> bool:
    return requests.get(f"{url}/readyz", timeout=10).json().get("redis") == "ok"
