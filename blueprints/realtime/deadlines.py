"""Something to be done for each connection once its time has come, by one task for all of them."""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable

from flask_socketio import SocketIO

from blueprints.common.failures import describe

log = logging.getLogger("platform.realtime")


class Deadlines:
    """Times that all lie equally far ahead, so that the first one is always the next one.

    A task runs while there are any. A task, or a timer, for each connection would be most of its memory.
    """

    def __init__(
        self, socketio: SocketIO, *, seconds: Callable[[], float], then: Callable[[str], None]
    ) -> None:
        """``then`` is called with a transport, so many seconds after it was added.

        ``seconds`` is asked at each one, for a setting that others hold; it should stay the same.
        """
        self._socketio = socketio
        self._seconds = seconds
        self._then = then
        self._times: deque[tuple[float, str]] = deque()
        self._guard = threading.Lock()

    def add(self, transport: str, *, most: int | None = None) -> bool:
        """Whether there was room for one more; there are at most so many."""
        with self._guard:
            if most is not None and len(self._times) >= most:
                return False
            self._times.append((time.monotonic() + self._seconds(), transport))
            begins = len(self._times) == 1
        if begins:
            self._socketio.start_background_task(self._run)
        return True

    def _run(self) -> None:
        more = True
        while more:
            at, transport = self._times[0]
            self._socketio.sleep(max(at - time.monotonic(), 0))
            try:
                self._then(transport)
            except Exception as failure:  # noqa: BLE001  # one transport's; the others' time goes on
                log.warning("deadline failed", extra={"failure": describe(failure)})
            with self._guard:
                self._times.popleft()
                more = bool(self._times)
