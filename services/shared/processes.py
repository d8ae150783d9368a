"""The list of processes in the database: which are live, and how many connections they open together."""

import logging
from typing import Any

from models.db.connection import database, reading, writing
from models.processes import LIVE_MS, Process
from services.shared.errors import OperatorError

log = logging.getLogger("platform.cluster")

FORGOTTEN_MS = 60_000
"""After this time, another process removes the row of a dead one."""

POOLS_PERCENT = 80
"""The pools of all processes must stay below this share of PostgreSQL's max_connections. The rest is for
commands, backups and the operator."""


OK, AWAY = "ok", "away"
"""The state of Redis as a process sees it."""


class Processes:
    """This process among the others. Without REDIS_URL there are no others."""

    id = 0
    """The row of this process; 0 before it has one."""

    live = 1
    """How many there are, this one included, as of the last round."""

    def join(self, *, address: str, pool_size: int, settings: str) -> None:
        """Add this process. Raises OperatorError when there are too many for the database.

        A process that was on the same address is dead: this one has its address. ``settings`` is a digest.
        Processes whose digest is another one are named in the log.
        """
        self._row = {"address": address, "pool_size": pool_size, "settings": settings}
        with writing():
            Process.delete().where(Process.address == address).execute()
        self.renew(sockets=0, lag_ms=0, redis=AWAY)
        with reading():
            # Of two that join at once, at least the later one sees both.
            live = list(_live().order_by(Process.address))
            (limit,) = database.execute_sql("SELECT current_setting('max_connections')::int").fetchone()
        connections = sum(process.pool_size for process in live)
        if connections * 100 >= limit * POOLS_PERCENT:
            self.leave()
            raise OperatorError(
                f"DATABASE_POOL_SIZE: the pools of all live processes ({self.live}) have {connections}"
                f" connections, which must be below {POOLS_PERCENT}% of PostgreSQL's {limit} max_connections"
            )
        if others := [process.address for process in live if process.settings != settings]:
            log.error("the settings of this process differ from those of %s", ", ".join(others))

    def renew(self, *, sockets: int, lag_ms: int, redis: str) -> None:
        """Renew the row of this process, and count the live processes.

        ``lag_ms`` is how late its last round began, ``redis`` is OK or AWAY.
        """
        changing = {"sockets": sockets, "lag_ms": lag_ms, "redis": redis, "seen_at_ms": database.now_ms}
        with reading():
            # No transaction: two processes may remove the same rows in any order.
            if not Process.update(changing).where(Process.id == self.id).execute():
                self.id = Process.insert(self._row | changing).execute()
            Process.delete().where(Process.seen_at_ms < database.now_ms - FORGOTTEN_MS).execute()
            self.live = max(_live().count(), 1)

    def leave(self) -> None:
        """Remove this process."""
        with writing():
            Process.delete().where(Process.id == self.id).execute()


def live_processes() -> list[Process]:
    """The live processes by address."""
    with reading():
        return list(_live().order_by(Process.address))


def _live() -> Any:
    return Process.select().where(Process.seen_at_ms > database.now_ms - LIVE_MS)
