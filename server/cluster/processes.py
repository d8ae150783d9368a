"""The list of processes in the database: which are live, and how many connections they open together."""

import logging
import socket
from typing import Any

from models.db.connection import database, reading, writing
from models.processes import Process, live_processes
from services.shared.errors import Refusal
from settings import Settings

log = logging.getLogger("platform.cluster")

FORGOTTEN_MS = 60_000
"""After this time, another process removes the row of a dead one."""

POOLS_PERCENT = 80
"""The pools of all processes must stay below this share of PostgreSQL's max_connections. The rest is for
commands, backups and the operator."""


class Processes:
    """This process in the list, and how many there are."""

    def __init__(self, settings: Settings) -> None:
        self.id = 0
        """The row of this process; 0 before it has one."""
        self.live = 1
        """How many there are, this one included, as of the last round."""
        self._has_untrusted_proxies = False
        self._row = {
            "address": f"{socket.gethostname()}:{settings.port}",
            "pool_size": settings.database_pool_size,
            "settings": settings.digest(),
        }

    def note_untrusted_proxies(self) -> None:
        """A request with a forwarding header has arrived although TRUSTED_PROXIES is 0. Logged once."""
        if not self._has_untrusted_proxies:
            log.warning("forwarding headers arrive although TRUSTED_PROXIES is 0")
        self._has_untrusted_proxies = True

    def join(self, *, signals: str | None) -> None:
        """Add this process. Raises Refusal when there are too many for the database.

        A process that was on the same address is dead: this one has its address. Processes with other
        settings are named in the log.
        """
        self._write({"sockets": 0, "lag_ms": 0, "redis": signals or "none"})
        # Afterwards: SQLite would give the removed row's id to this one.
        with writing():
            Process.delete().where(Process.address == self._row["address"], Process.id != self.id).execute()
        # Of two that join at once, at least the later one sees both.
        live = by_address()
        self.live = len(live)
        self._check_pools(sum(process.pool_size for process in live))
        others = [process.address for process in live if process.settings != self._row["settings"]]
        if others:
            log.error("the settings of this process differ from those of %s", ", ".join(others))

    def renew(self, *, sockets: int, lag_ms: int, signals: str | None) -> None:
        """Renew the row of this process, and count the live processes.

        ``lag_ms`` is how late its last round began, ``signals`` the state of its signals.
        """
        with reading(), database.skip_while_locked():
            self._write({"sockets": sockets, "lag_ms": lag_ms, "redis": signals or "none"})
            # In a transaction of its own: two processes may remove the same rows in any order.
            with writing():
                Process.delete().where(Process.seen_at_ms < database.now_ms - FORGOTTEN_MS).execute()
            self.live = max(live_processes().count(), 1)

    @writing()
    def _write(self, seen: dict[str, Any]) -> None:
        changing = seen | {"untrusted_proxies": self._has_untrusted_proxies, "seen_at_ms": database.now_ms}
        if not Process.update(changing).where(self._is_this()).execute():
            self.id = Process.insert(self._row | changing).execute()

    def leave(self) -> None:
        """Remove this process."""
        with reading(), database.skip_while_locked(), writing():
            Process.delete().where(self._is_this()).execute()

    def _is_this(self) -> Any:
        # SQLite gives the id of a removed row to the next one.
        return (Process.id == self.id) & (Process.address == self._row["address"])

    @reading()
    def _check_pools(self, connections: int) -> None:
        limit = database.max_connections()
        if limit and connections * 100 >= limit * POOLS_PERCENT:
            self.leave()
            raise Refusal(
                f"DATABASE_POOL_SIZE: the pools of all live processes ({self.live}) have {connections}"
                f" connections, which must be below {POOLS_PERCENT}% of PostgreSQL's {limit} max_connections"
            )


def by_address() -> list[Process]:
    """The live processes by address."""
    with reading():
        return list(live_processes().order_by(Process.address))
