"""Background work of a running server that is done again and again."""

import threading
from collections.abc import Callable

from server.realtime.server import Realtime
from server.redaction import safe_exception_summary
from server.repeated_lines import log

STOP_SECONDS = 2.0
"""How long a stop waits for the running round."""


def repeat(running: Realtime, work: Callable[[], None], *, every_seconds: float, on_failure: str) -> None:
    """Call ``work`` in one task of its own, at the server's start and ``every_seconds`` after each call.

    An exception is logged with the message ``on_failure``; the next round tries again.
    """
    stop = threading.Event()
    tasks = []

    def rounds() -> None:
        while not stop.is_set():
            try:
                work()
            except Exception as failure:  # noqa: BLE001  # as the docstring says
                log.error(on_failure, extra={"failure": safe_exception_summary(failure)})
            stop.wait(every_seconds)

    def start() -> None:
        tasks.append(running.socketio.start_background_task(rounds))

    def close() -> None:
        stop.set()
        for task in tasks:
            task.join(STOP_SECONDS)

    running.at_start.append(start)
    running.before_close.append(close)
