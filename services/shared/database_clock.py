"""The clock of several processes: it follows the database's."""

import logging
import time

from models.db.connection import database, reading
from services.shared.clock import Millis

log = logging.getLogger("platform.clock")

MICROSECONDS = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)"
NOTABLE_SECONDS = 1.0
"""A machine whose clock is further off than this is reported in the log."""


class DatabaseClock:
    """Gives Unix time in milliseconds by PostgreSQL's clock.

    All processes then agree when a proof is due, a lease ends or a week begins, although the clock of a
    machine is wrong. Between two readings the time goes by ``time.monotonic()``. Before the first one it is
    the time of this machine.
    """

    def __init__(self) -> None:
        self._offset_us = _machine_offset_us()
        self._is_read = False

    def __call__(self) -> Millis:
        return Millis((_monotonic_us() + self._offset_us) // 1000)

    def read(self) -> None:
        """Ask the database for its time. Raises what ``reading()`` raises.

        The answer was written at an unknown moment between question and answer, so the offset is known to lie
        within a range. An offset within the range stays as it is: a slow answer does not disturb the clock.
        """
        with reading():
            asked_at = _monotonic_us()
            (now_us,) = database.execute_sql(MICROSECONDS).fetchone()
            answered_at = _monotonic_us()
        least, most = now_us - answered_at, now_us - asked_at
        if self._is_read:
            self._offset_us = min(max(self._offset_us, least), most)
            return
        self._offset_us, self._is_read = (least + most) // 2, True
        ahead = (_machine_offset_us() - self._offset_us) / 1_000_000
        if abs(ahead) > NOTABLE_SECONDS:
            log.warning("this machine's clock is %.1f s ahead of the database's", ahead)


def _monotonic_us() -> int:
    return time.monotonic_ns() // 1000


def _machine_offset_us() -> int:
    return time.time_ns() // 1000 - _monotonic_us()
