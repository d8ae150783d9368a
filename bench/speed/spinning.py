"""A platform whose players spin as fast as they get answers, with or without proofs."""

import sqlite3
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

import psycopg2

from bench.speed.http_load import Load
from bench.speed.players import connected_players, make_players, play
from bench.speed.stage import Stage
from tests.harness.line_process import LineProcess
from tests.harness.process_stats import cpu_seconds
from tests.harness.servers import RunningServer

SOON, NEVER = "2", "600"
"""Seconds until a proof is due. The measurement includes proofs or has none.

As in production, bets are appended to the public log, once a second, before their proofs are due. With less
than a second, each round of proofs would append those that it sends.
"""

PROOF_SECONDS = 2.1
"""From a spin to the claim of its proof when there is no backlog: two seconds until the proof is due, and at
most a tenth until the next round claims and sends it."""

UNDER_WAY_SECONDS = 4.0
"""Seconds of spinning: long enough that proofs are sent during most of it."""

WARMUP_SECONDS = 0.5
REST_SECONDS = 60
UNCLAIMED = "SELECT 1 FROM bets WHERE proof_held_by IS NULL AND proof_delivered_at_ms IS NULL LIMIT 1"


@dataclass(frozen=True)
class Round:
    """Spins a second, and the server's CPU time for a spin with everything that follows, in microseconds."""

    per_second: float
    server_us: float


class Spinning:
    """A server and its players, who spin on command."""

    def __init__(self, stage: Stage, url: str, server: RunningServer, players: LineProcess) -> None:
        self._stage = stage
        self._url = url
        self._pid = server.process.pid
        self._players = players

    def with_proofs(self) -> Round:
        """Spins, measured until the last of their proofs was claimed and sent.

        It is marked as delivered at the next ping, up to half a minute later, which counts for a later round.

        A platform that settles spins faster than it can send proofs has a backlog. The time that it needs for
        the backlog counts, beyond the usual time of a proof.
        """
        began, before = time.monotonic(), cpu_seconds(self._pid)
        load = play(self._players, seconds=self._stage.seconds, warmup_seconds=UNDER_WAY_SECONDS)
        played = time.monotonic()
        wait_for_proofs(self._url)
        behind = max(time.monotonic() - played - PROOF_SECONDS, 0)
        return self._round(load, load.answered_in_all / (played - began + behind), before)

    def without_proofs(self) -> Round:
        """Spins whose proofs are not due during the measurement."""
        before = cpu_seconds(self._pid)
        load = play(self._players, seconds=self._stage.seconds, warmup_seconds=WARMUP_SECONDS)
        return self._round(load, load.per_second, before)

    def _round(self, load: Load, per_second: float, before: float) -> Round:
        return Round(per_second, (cpu_seconds(self._pid) - before) * 1e6 / load.answered_in_all)


def median(rounds: Sequence[Round], field: str) -> float:
    return statistics.median(getattr(each, field) for each in rounds)


def rates(rounds: Sequence[Round]) -> list[float]:
    return [each.per_second for each in rounds]


@contextmanager
def spinning(stage: Stage, url: str, crowd: int, *, proof_delay: str) -> Iterator[Spinning]:
    """Create this many players in this database, and connect them."""
    players = make_players(stage, url, crowd)
    with (
        stage.platform(url, UPGRADER_PROOF_DELAY=proof_delay) as platform,
        connected_players(stage, platform, players) as connected,
    ):
        yield Spinning(stage, url, platform, connected)


def wait_for_proofs(url: str) -> None:
    path = url.removeprefix("sqlite:///")
    deadline = time.monotonic() + REST_SECONDS
    with closing(sqlite3.connect(path) if path != url else psycopg2.connect(url)) as connection:
        while time.monotonic() < deadline:
            cursor = connection.cursor()
            cursor.execute(UNCLAIMED)
            if cursor.fetchone() is None:
                return
            # Otherwise this transaction would always read the same.
            connection.rollback()
            time.sleep(0.1)
    raise AssertionError(f"proofs were still on their way after {REST_SECONDS} s")
