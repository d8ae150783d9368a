"""Entries that are appended to the public log while players spin.

More entries come than the goal asks for: besides the entries of bets, those of commitments that somebody
writes into the table of what waits. PostgreSQL shares the load tool's core.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import psycopg2

from bench.speed.result import Row
from bench.speed.spinning import SOON, Round, spinning
from bench.speed.stage import Stage
from tests.harness.databases import durable_postgres

GOAL = 5_000
CROWD = 20
ENTRIES_A_SECOND = 6_000
EVERY_SECONDS = 0.1

ADD = """
WITH added AS (
    INSERT INTO log_entries (log_id, text)
    SELECT 'bets', '{"at":1,"commitment":"' || md5(random()::text) || md5(random()::text)
        || '","nonce":1,"player":"' || md5(i::text) || '","reason":"new","v":1}'
    FROM generate_series(1, %s) AS i RETURNING id
)
INSERT INTO log_waiting_entries (entry_id) SELECT id FROM added
"""
SIZES = "SELECT size, (SELECT count(*) FROM log_waiting_entries) FROM logs WHERE name = 'bets'"


def measure(stage: Stage) -> Iterator[Row]:
    """Entries appended a second, from the first one that waits until none waits any more."""
    with durable_postgres() as server:
        server.move_to([stage.cores.load])
        with server.fresh() as url, spinning(stage, url, CROWD, proof_delay=SOON) as players:
            alone = players.with_proofs()
            before, _ = _sizes(url)
            began = time.monotonic()
            with _more_entries(url):
                beside = players.with_proofs()
            after, waiting = _sizes(url)
            seconds = time.monotonic() - began
    yield Row(
        work=f"entries appended to the log while {CROWD} players spin",
        against="the goal of 5,000 a second",
        goal=GOAL,
        measured=(after - before) / seconds,
        unit="entries/s",
        detail=f"{waiting:,} wait at the end; {_text(beside)}, and {_text(alone)} without the other entries",
    )


@contextmanager
def _more_entries(url: str) -> Iterator[None]:
    """Let entries wait for the log during the block, at an even rate."""
    is_over = threading.Event()

    def write() -> None:
        with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            connection.autocommit = True
            due = time.monotonic()
            while not is_over.wait(max(due - time.monotonic(), 0)):
                cursor.execute(ADD, (int(ENTRIES_A_SECOND * EVERY_SECONDS),))
                due += EVERY_SECONDS

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _sizes(url: str) -> tuple[int, int]:
    """The size of the log, and how many entries wait that are not of bets."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(SIZES)
        size, waiting = cursor.fetchone()
        return int(size), int(waiting)


def _text(played: Round) -> str:
    return f"{played.per_second:,.0f} spins/s with proofs, CPU {played.server_us:,.0f} us a spin"
