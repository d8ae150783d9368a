"""Work that a server repeats from its start to its stop, in one task of its own."""

import logging
import threading
from collections.abc import Callable
from typing import Any

from flask import Flask
from flask_socketio import SocketIO

from server.logs import clients_log

RETRY_SECONDS = 1.0
"""The shortest time from a failed round to the next one, which may be woken after it."""

STOP_SECONDS = 2.0
"""How long a stop waits for the running round, unless the task says otherwise."""


def nothing() -> None:
    """Do nothing."""


class RepeatedTask:
    """Calls ``work`` at the start and ``every_seconds`` after the end of each call, within the app.

    An exception is logged with the message ``on_failure``, and the next round tries again. ``at_start`` is
    called before the first round. At the stop ``interrupt`` is called, then the running round ends, and then
    ``at_end`` is called. The stop waits ``stop_seconds`` for that, and calls ``after_stop`` in any case.
    """

    def __init__(
        self,
        work: Callable[[], None],
        *,
        every_seconds: float,
        on_failure: str,
        logger: logging.Logger = clients_log,
        at_start: Callable[[], None] = nothing,
        interrupt: Callable[[], None] = nothing,
        at_end: Callable[[], None] = nothing,
        after_stop: Callable[[], None] = nothing,
        stop_seconds: float = STOP_SECONDS,
    ) -> None:
        self.every_seconds = every_seconds
        self.woken = threading.Event()
        """Set it to begin the next round at once, or when the running one has ended."""
        self.stopping = threading.Event()
        """Set when the running round is the last one, and should end soon."""
        self._work = work
        self._on_failure = on_failure
        self._log = logger
        self._at_start, self._interrupt = at_start, interrupt
        self._at_end, self._after_stop = at_end, after_stop
        self._stop_seconds = stop_seconds
        self._task: Any = None

    def start(self, app: Flask, socketio: SocketIO) -> None:
        """Begin the first round."""
        self._at_start()
        self._task = socketio.start_background_task(self._run, app)

    def stop(self) -> None:
        """End the running round, and wait for that. Does nothing if the task was not started."""
        if self._task is not None:
            self._interrupt()
            self.stopping.set()
            self.woken.set()
            self._task.join(self._stop_seconds)
            self._after_stop()

    def _run(self, app: Flask) -> None:
        while not self.stopping.is_set():
            try:
                with app.app_context():
                    self._work()
            except Exception:  # noqa: BLE001  # as the docstring says
                self._log.exception(self._on_failure)
                self.stopping.wait(RETRY_SECONDS)
            self.woken.wait(self.every_seconds)
            self.woken.clear()
        with app.app_context():
            self._at_end()
