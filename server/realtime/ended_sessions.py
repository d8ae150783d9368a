"""Makes spectators of sockets whose sessions were ended by another process, or by a command."""

import threading
from typing import Any

import peewee

from models.session_numbers import find_raised
from server.realtime.server import Realtime
from server.redaction import safe_exception_summary
from server.repeated_lines import log
from services.shared.background import pause

ROUND_SECONDS = 0.8
"""Less than the second within which the sockets become spectators, because a round takes time too."""

SESSIONS_AT_ONCE = 1_000
"""Sessions in one query."""

STOP_SECONDS = 2.0


class EndedSessions:
    """Compares the session numbers of the connected players with the database, in one task."""

    def __init__(self, running: Realtime) -> None:
        self._running = running
        self._stop = threading.Event()
        self._task: Any = None

    def start(self) -> None:
        self._task = self._running.socketio.start_background_task(self._run)

    def close(self) -> None:
        self._stop.set()
        if self._task is not None:
            self._task.join(STOP_SECONDS)

    def _run(self) -> None:
        while not self._stop.wait(ROUND_SECONDS):
            try:
                self.end_here()
            except Exception as failure:  # noqa: BLE001  # the next round tries again
                log.error("sessions not compared", extra={"failure": safe_exception_summary(failure)})

    def end_here(self) -> None:
        """Look for ended sessions once."""
        for sessions in peewee.chunked(self._running.connections.sessions(), SESSIONS_AT_ONCE):
            for user_id, number in find_raised(sessions):
                self._running.end_sessions(user_id, before=number)
            pause()


def watch_sessions(running: Realtime) -> None:
    """Look for ended sessions from the start of this server on."""
    watch = EndedSessions(running)
    running.at_start.append(watch.start)
    running.before_close.append(watch.close)
