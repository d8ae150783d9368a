"""Calls a function for each of many connections after a fixed time, with one background task for all."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from flask_socketio import SocketIO

from blueprints.common.failures import describe

log = logging.getLogger("platform.realtime")

Value = TypeVar("Value")


class Deadlines(Generic[Value]):
    """Deadlines that all lie equally far ahead, so that the first one added is always the next one due.

    A task runs while there are any. A task or a timer for each connection would be most of its memory.
    """

    def __init__(
        self, socketio: SocketIO, *, seconds: Callable[[], float], then: Callable[[Value], None]
    ) -> None:
        """``then`` is called with each value, ``seconds()`` after it was added. It must not block."""
        self._socketio = socketio
        self._seconds = seconds
        self._then = then
        self._times: deque[tuple[float, Value]] = deque()
        self._guard = threading.Lock()

    def add(self, value: Value, *, at_most: int | None = None) -> bool:
        """Add a deadline; returns False, and adds none, when there are ``at_most`` already."""
        with self._guard:
            if at_most is not None and len(self._times) >= at_most:
                return False
            self._times.append((time.monotonic() + self._seconds(), value))
            begins = len(self._times) == 1
        if begins:
            self._socketio.start_background_task(self._run)
        return True

    def __len__(self) -> int:
        return len(self._times)

    def _run(self) -> None:
        more = True
        while more:
            at, value = self._times[0]
            self._socketio.sleep(max(at - time.monotonic(), 0))
            try:
                self._then(value)
            except Exception as failure:  # noqa: BLE001  # the deadlines of the others go on
                log.warning("deadline failed", extra={"failure": describe(failure)})
            with self._guard:
                self._times.popleft()
                more = bool(self._times)
