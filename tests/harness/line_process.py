"""A process that answers each order, a line of JSON on its standard input, with a line of its own."""

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ANSWER_SECONDS = 120


class LineProcess:
    """``process`` has text pipes as standard input and output."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def send(self, order: Any) -> None:
        """Send an order. Its answer can be read later."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def answer(self, *, seconds: float = ANSWER_SECONDS) -> Any:
        """The next answer. Raises AssertionError when the process has ended or gives none in this time."""
        assert self._process.stdout is not None
        timer = threading.Timer(seconds, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        assert line, "the process has ended; see above"
        return json.loads(line)

    def ask(self, order: Any) -> Any:
        """Send an order; returns its answer."""
        self.send(order)
        return self.answer()


@contextmanager
def line_process(command: Sequence[object], *, cwd: Path | None = None) -> Iterator[LineProcess]:
    """Start a process, which is killed afterwards."""
    with subprocess.Popen(
        [str(part) for part in command], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield LineProcess(process)
        finally:
            process.kill()
