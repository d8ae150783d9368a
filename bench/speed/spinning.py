"""A platform whose players spin as fast as they get answers, with or without proofs."""

import sqlite3
import statistics
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg2

from bench.harness.servers import RunningServer
from bench.speed.asking import Load
from bench.speed.machine import cpu_seconds
from bench.speed.players import AtTheirSockets, at_their_sockets, make_players
from bench.speed.stage import Stage

SOON, NEVER = "0.5", "600"
"""Seconds until a proof is due. The measurement includes proofs or has none."""

PROOF_SECONDS = 1.5
"""From a spin to the mark of its proof when there is no backlog: half a second until the proof is due, then
its acknowledgement, and at most a second until the next round writes it."""

UNDER_WAY_SECONDS = 2.5
"""Seconds of spinning: long enough that proofs are sent during most of it."""

WARMUP_SECONDS = 0.5
REST_SECONDS = 60
UNDELIVERED = "SELECT 1 FROM bets WHERE proof_delivered_at_ms IS NULL LIMIT 1"


class Spinning:
    """A platform and its players, who spin on command."""

    def __init__(self, stage: Stage, url: str, platform: RunningServer, players: AtTheirSockets) -> None:
        self._stage = stage
        self._url = url
        self._platform = platform
        self._players = players
        self._cpu_us: list[float] = []

    def with_proofs(self) -> float:
        """Spins a second, measured until the last of their proofs was delivered.

        A platform that settles spins faster than it can send proofs has a backlog. The time that it needs for
        the backlog counts, beyond the usual time of a proof.
        """
        began = time.monotonic()
        load, used = self._play(UNDER_WAY_SECONDS)
        played = time.monotonic()
        wait_for_proofs(self._url)
        behind = max(time.monotonic() - played - PROOF_SECONDS, 0)
        self._cpu_us.append((self._cpu_seconds() - used) * 1e6 / load.answered_in_all)
        return load.answered_in_all / (played - began + behind)

    def without_proofs(self) -> float:
        """Spins whose proofs are not due during the measurement."""
        load, used = self._play(WARMUP_SECONDS)
        self._cpu_us.append((self._cpu_seconds() - used) * 1e6 / load.answered_in_all)
        return load.per_second

    def _play(self, warmup_seconds: float) -> tuple[Load, float]:
        """The players' results, and the platform's CPU seconds before."""
        used = self._cpu_seconds()
        return self._players.play(seconds=self._stage.seconds, warmup_seconds=warmup_seconds), used

    def _cpu_seconds(self) -> float:
        return cpu_seconds(self._platform.process.pid)

    @property
    def cpu_us(self) -> float:
        """The platform's CPU time for a spin and everything that follows it."""
        return statistics.median(self._cpu_us)


@contextmanager
def spinning(stage: Stage, url: str, crowd: int, *, proof_delay: str) -> Iterator[Spinning]:
    """Create this many players in this database, and connect them."""
    players = make_players(stage, url, crowd)
    with (
        stage.platform(url, UPGRADER_PROOF_DELAY=proof_delay) as platform,
        at_their_sockets(stage, platform, players) as seated,
    ):
        yield Spinning(stage, url, platform, seated)


def wait_for_proofs(url: str) -> None:
    path = url.removeprefix("sqlite:///")
    deadline = time.monotonic() + REST_SECONDS
    with closing(sqlite3.connect(path) if path != url else psycopg2.connect(url)) as connection:
        while time.monotonic() < deadline:
            cursor = connection.cursor()
            cursor.execute(UNDELIVERED)
            if cursor.fetchone() is None:
                return
            # Otherwise this transaction would always read the same.
            connection.rollback()
            time.sleep(0.1)
    raise AssertionError(f"proofs were still on their way after {REST_SECONDS} s")
