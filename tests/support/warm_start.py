"""Starts gunicorn processes by forking one that has imported the program, in a third of the time.

As a program (``python -m tests.support.warm_start``) it is the process that is forked: it reads a start as a
line of JSON from its standard input, and answers with the process id.
"""

# gunicorn.conf.py begins like this, before any other import.
import gevent
from gevent import monkey

if __name__ == "__main__":
    gevent.config.track_greenlet_tree = False
    monkey.patch_all()

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.harness.line_process import LineProcess, line_process
from tests.harness.servers import ROOT, RunningServer, gunicorn, server_process


class WarmStart:
    """The process that is forked."""

    def __init__(self, process: LineProcess) -> None:
        self._process = process
        self._asking = threading.Lock()

    def server_process(
        self, command: list[str], env: Mapping[str, str], directory: Path, *, port: int | None = None
    ) -> AbstractContextManager[RunningServer]:
        """As ``server_process`` of tests.harness.servers, for commands of ``gunicorn()``."""
        assert command == gunicorn(command[-1])
        return server_process(command, env, directory, port=port, start=self._fork)

    def _fork(
        self, command: list[str], *, env: dict[str, str], log: Path, output: Path, cwd: Path
    ) -> "Forked":
        start = {"target": command[-1], "env": env, "log": str(log), "output": str(output)}
        with self._asking:
            return Forked(self._process.ask(start))


@contextmanager
def warm_start() -> Iterator[WarmStart]:
    with line_process([sys.executable, "-m", "tests.support.warm_start"], cwd=ROOT) as process:
        yield WarmStart(process)


class Forked:
    """A gunicorn process that was forked; has the part of ``subprocess.Popen`` that its users need."""

    returncode = 0
    """Not known: the process is a child of another one."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._exit = os.pidfd_open(pid)

    def poll(self) -> int | None:
        return self.returncode if select.select([self._exit], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        """Raises subprocess.TimeoutExpired."""
        if not select.select([self._exit], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("gunicorn", timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def _serve() -> None:
    import app  # noqa: F401  # all that a server process imports

    # The children are not waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        start = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become_gunicorn(**start)
        print(pid, flush=True)  # noqa: T201  # its answer


def _become_gunicorn(*, target: str, env: dict[str, str], log: str, output: str) -> None:
    from gunicorn.app.wsgiapp import run

    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, output, writing), (2, log, writing)):
        os.dup2(os.open(path, flags, 0o644), number)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["gunicorn", "-c", "gunicorn.conf.py", target]
    run()


if __name__ == "__main__":
    _serve()
