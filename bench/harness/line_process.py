"""A process that answers each order, a line of JSON on its standard input, with a line of its own."""

import json
import subprocess
from typing import Any


class LineProcess:
    """``process`` has text pipes as standard input and output."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def send(self, order: Any) -> None:
        """Send an order. Its answer can be read later."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        """The next answer. Raises AssertionError when the process has ended."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process has ended; see above"
        return json.loads(line)

    def tell(self, order: Any) -> Any:
        """Send an order; returns its answer."""
        self.send(order)
        return self.answer()
