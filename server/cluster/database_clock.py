"""The clock of all processes on PostgreSQL, also of a single one: it follows the database's."""

import logging
import time

from models.db.connection import database, reading
from services.shared.clock import Millis, now_ms

log = logging.getLogger("platform.clock")

NOTABLE_MS = 1_000
"""A reading that moves the time by more than this is reported in the log, such as the first one on a machine
whose clock is wrong."""


class DatabaseClock:
    """Gives Unix time in milliseconds by PostgreSQL's clock.

    All processes then agree when a proof is due, a lease ends or a week begins, although the clock of a
    machine is wrong. Between two readings the time goes by ``time.monotonic()``. Before the first one it is
    the time of this machine.
    """

    def __init__(self) -> None:
        self._offset_ms = now_ms() - _monotonic_ms()

    def __call__(self) -> Millis:
        return Millis(_monotonic_ms() + self._offset_ms)

    def read(self) -> None:
        """Ask the database for its time. Raises what ``reading()`` raises.

        The answer was written at an unknown moment between question and answer, so the offset is known to lie
        within a range. An offset within the range stays as it is: a slow answer does not disturb the clock.
        """
        with reading():
            asked_at = _monotonic_ms()
            (now,) = database.execute_sql(f"SELECT {database.now_ms.sql}").fetchone()
            answered_at = _monotonic_ms()
        before = self._offset_ms
        self._offset_ms = min(max(before, now - answered_at), now - asked_at)
        if abs(self._offset_ms - before) > NOTABLE_MS:
            ahead_ms = now_ms() - self()
            log.warning("this machine's clock is %.1f s ahead of the database's", ahead_ms / 1000)


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000
