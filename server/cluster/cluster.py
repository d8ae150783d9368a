"""Connects this process to the others, if there can be any, and keeps its row in the list of processes."""

import logging
import math
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from prometheus_client import CollectorRegistry, Gauge

from models.db import migrate
from models.db.connection import SCHEMA_ERRORS, UNAVAILABLE, database
from models.db.new_connections import MisconfiguredDatabase
from models.db.sqlite import Sqlite
from server.cluster.processes import Processes
from server.cluster.redis_client import NO_ANSWER
from server.cluster.request_counts import RedisCounts
from server.cluster.signals import RedisSignals
from server.rate_limiter import ALONE, NewRateLimiter, RateLimiter, RequestCounts
from server.realtime.realtime import Realtime
from server.realtime.repeated_task import RepeatedTask
from services.shared import signals
from services.shared.clock import DatabaseClock, Millis, now_ms
from services.shared.errors import Refusal
from services.shared.signals import Signals
from settings import Settings

log = logging.getLogger("platform.cluster")

ROUND_SECONDS = 2.0
"""Time between two rounds, which is the longest delay after a lost signal."""


class Cluster:
    """The processes that serve the database, as one of them. In a command it is created, but not started."""

    def __init__(
        self, settings: Settings, *, clock: Callable[[], Millis] | None, timer: Callable[[], float]
    ) -> None:
        """``clock`` gives Unix time in milliseconds; None for that of the database."""
        self.clock = clock or _database_clock()
        self.processes = Processes(settings)
        self.signals = Signals()
        self._redis: RedisSignals | None = None
        counts: RequestCounts = ALONE
        # The only place that chooses between one process and several.
        if settings.redis_url:
            self.signals = self._redis = signals = RedisSignals(settings.redis_url)
            counts = RedisCounts(
                settings.redis_url,
                heard_at=lambda: signals.heard_at,
                live_processes=lambda: self.processes.live,
                timer=timer,
            )
        self.new_rate_limiter: NewRateLimiter = partial(RateLimiter, counts=counts, timer=timer)
        self._round_is_due_at = math.inf

    def tasks(self, realtime: Realtime) -> list[RepeatedTask]:
        """Signals, the row of this process, and the clock, while a server runs."""
        tasks = self._redis.tasks() if self._redis else []
        tasks.append(every_two_seconds(partial(self._renew, realtime), on_failure="process not renewed"))
        if isinstance(self.clock, DatabaseClock):
            tasks.append(every_two_seconds(self.clock.read, on_failure="clock not read"))
        return tasks

    def count(self, registry: CollectorRegistry) -> None:
        """Add the metrics of the processes and their signals."""
        live = Gauge("processes_live", "Processes that serve, this one included", registry=registry)
        live.set_function(lambda: self.processes.live)
        if self._redis:
            self._redis.count(registry)

    def redis_problems(self) -> tuple[list[str], list[str]]:
        """Lines about a Redis that refuses what is needed, and about one that does not answer."""
        found = self._redis.find_problem() if self._redis else None
        lines = [f"REDIS_URL: {found}"] if found else []
        return ([], lines) if found == NO_ANSWER else (lines, [])

    def join(self) -> None:
        """Join the other processes.

        Raises Refusal when the connection pools of all processes together are too large, and for a
        database that an operator must change.
        """
        try:
            migrate.refuse_older()
            self.processes.join(signals=self.signals.state)
        except MisconfiguredDatabase as error:
            raise Refusal(f"DATABASE_URL: {error}") from None
        except (*SCHEMA_ERRORS, *UNAVAILABLE):
            # The process starts nevertheless; /readyz says that the database is unavailable.
            log.warning("pools not checked", exc_info=True)
        signals.connected.append(self.signals)

    def leave(self) -> None:
        """Leave the other processes. Does nothing before ``join``, and the second time."""
        if self.signals not in signals.connected:
            return
        signals.connected.remove(self.signals)
        try:
            self.processes.leave()
        except (*SCHEMA_ERRORS, *UNAVAILABLE):
            # The others will find that it is dead.
            log.warning("process not removed", exc_info=True)

    def _renew(self, realtime: Realtime) -> None:
        late_ms = max((time.monotonic() - self._round_is_due_at) * 1000, 0)
        sockets = len(realtime.connections)
        self.processes.renew(sockets=sockets, lag_ms=int(late_ms), signals=self.signals.state)
        self._round_is_due_at = time.monotonic() + ROUND_SECONDS


def every_two_seconds(work: Callable[[], None], *, on_failure: str) -> RepeatedTask:
    """A task with the interval of everything that several processes must agree on."""
    return RepeatedTask(work, every_seconds=ROUND_SECONDS, on_failure=on_failure)


def _database_clock() -> Callable[[], Millis]:
    """PostgreSQL's clock; with SQLite that of this machine, which is the database's too."""
    if isinstance(database.obj, Sqlite):
        return now_ms
    clock = DatabaseClock()
    # While the database is away, the time of this machine has to do. The next round reads it again.
    with suppress(*UNAVAILABLE):
        clock.read()
    return clock
