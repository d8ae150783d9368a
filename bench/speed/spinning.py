"""A platform whose players spin as fast as they are answered: with the proofs that follow, or with none."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psycopg2

from bench.speed.players import at_their_sockets, make_players
from bench.speed.stage import Stage

SOON, NEVER = "0.5", "600"
"""Seconds until a proof is due: so that proofs are part of what is measured, or none of it."""

UNDER_WAY_SECONDS = 2.5
"""Until spins, their proofs, and the marks that these were delivered, keep step."""

WARMUP_SECONDS = 0.5
REST_SECONDS = 60
UNDELIVERED = "SELECT 1 FROM bets WHERE proof_delivered_at_ms IS NULL LIMIT 1"

SpinsPerSecond = Callable[[], float]


@contextmanager
def proving(stage: Stage, url: str, crowd: int) -> Iterator[SpinsPerSecond]:
    """So many players of this database; each turn lasts until the last proof has been delivered."""
    players = make_players(stage, url, crowd)
    with (
        stage.platform(url, UPGRADER_PROOF_DELAY=SOON) as platform,
        at_their_sockets(stage, platform, players) as seated,
    ):

        def turn() -> float:
            load = seated.play(seconds=stage.seconds, warmup_seconds=UNDER_WAY_SECONDS)
            _rest(url)
            return load.per_second

        yield turn


@contextmanager
def unproven(stage: Stage, url: str, crowd: int) -> Iterator[SpinsPerSecond]:
    """So many players of this database, none of whose proofs ever falls due."""
    players = make_players(stage, url, crowd)
    with (
        stage.platform(url, UPGRADER_PROOF_DELAY=NEVER) as platform,
        at_their_sockets(stage, platform, players) as seated,
    ):
        yield lambda: seated.play(seconds=stage.seconds, warmup_seconds=WARMUP_SECONDS).per_second


def _rest(url: str) -> None:
    path = url.removeprefix("sqlite:///")
    deadline = time.monotonic() + REST_SECONDS
    with closing(sqlite3.connect(path) if path != url else psycopg2.connect(url)) as connection:
        while time.monotonic() < deadline:
            cursor = connection.cursor()
            cursor.execute(UNDELIVERED)
            if cursor.fetchone() is None:
                return
            # Or this transaction goes on seeing the same.
            connection.rollback()
            time.sleep(0.1)
    raise AssertionError(f"proofs were still on their way after {REST_SECONDS} s")
