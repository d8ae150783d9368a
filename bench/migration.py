"""How long does an upgrade of a database with many bets take?

    python -m bench.migration
    python -m bench.migration --bets 10000000 --postgresql

Makes a database with the schema before openings, fills it with bets, and applies the migrations that came
later, one by one. On PostgreSQL, which has fsync, another connection writes to a bet and reads one all the
while. Prints the seconds of each migration, the longest time that a write and a read waited, and the size of
the database before and at the end. 10 million bets need 30 GB of disk.
"""

import argparse
import itertools
import logging
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click
import psycopg2
from playhouse.migrations import Runner

from bench.harness.databases import administer
from bench.speed.postgres import durable_postgres
from models.db import migrate
from models.db.connection import database, open_database, reading, writing
from models.users import User

BEFORE = "0018_process_settings"
PLAYERS = 1000
BETS_A_CHUNK = 100_000
PAUSE_SECONDS = 0.01

NUMBERS = {
    True: "WITH RECURSIVE numbers (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM numbers LIMIT {count})",
    False: "WITH numbers (i) AS (SELECT generate_series({first}, {first} + {count} - 1))",
}
TEXT_OF_64 = {
    True: "lower(hex(randomblob(32)))",
    False: "md5(i || '{salt}') || md5('{salt}' || i)",
}
# The rows of that schema. Every second bet is won.
TRANSACTIONS = """
    INSERT INTO ledger_transactions (id, kind, created_at_ms)
    {numbers} SELECT i, 'spin', i * 200 FROM numbers
"""
BETS = """
    INSERT INTO bets (
        id, user_id, game, nonce, ledger_transaction_id, wager_cents, payout_cents, status, item, price_cents,
        house_edge_ppm, threshold, roll, client_seed, server_seed_commitment, server_seed,
        created_at_ms, completed_at_ms, proof_delivered_at_ms
    )
    {numbers}
    SELECT i, 1 + i - i / {players} * {players}, 'upgrader', 1 + i / {players}, i, 100 + (i & 1023) * 6,
        CASE WHEN i & 1 = 0 THEN 200 + (i & 1023) * 12 ELSE 0 END,
        CASE WHEN i & 1 = 0 THEN 'won' ELSE 'lost' END,
        'Item of history', 200 + (i & 1023) * 12, 50000, 4750000, 4749999 + (i & 1), 'seed-of-a-player',
        {commitment}, {server_seed}, i * 200, i * 200 + 6000, i * 200 + 6000
    FROM numbers
"""
SIZES = {True: "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
         False: "SELECT pg_database_size(current_database())"}  # fmt: skip


def main() -> None:
    options = _options()
    logging.getLogger("platform").setLevel(logging.ERROR)
    with _empty_database(postgresql=options.postgresql) as url:
        open_database(url)
        _apply(BEFORE)
        began = time.monotonic()
        fill(options.bets, is_sqlite=not options.postgresql)
        seconds = time.monotonic() - began
        print(f"{options.bets:,} bets, {_size(options)} after {seconds:,.0f} s of writing", flush=True)
        print(f"{'':<28}{'seconds':>10}{'write':>10}{'read':>10}   waited")
        for name in migrate.pending():
            began = time.monotonic()
            waits = _waits(url, name) if options.postgresql else _apply(name)
            columns = "".join(f"{wait:>10.1f}" for wait in waits or ())
            print(f"{name:<28}{time.monotonic() - began:>10.1f}{columns}", flush=True)
        print(_size(options))
        database.obj.close_all()


def fill(bets: int, *, is_sqlite: bool) -> None:
    """Write players and bets."""
    with writing():
        for number in range(1, PLAYERS + 1):
            own = dict.fromkeys(
                ("platform_id", "username", "username_folded", "client_seed"), f"player-{number}"
            )
            User.create(**own, registered_at_ms=0)
    with click.progressbar(
        range(0, bets, BETS_A_CHUNK), label="bets", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as firsts:
        for first in firsts:
            numbers = NUMBERS[is_sqlite].format(first=1 + first, count=min(BETS_A_CHUNK, bets - first))
            seeds = {name: TEXT_OF_64[is_sqlite].format(salt=name) for name in ("commitment", "server_seed")}
            with writing():
                database.lift_statement_limit()
                for statement in (TRANSACTIONS, BETS):
                    database.execute_sql(statement.format(numbers=numbers, players=PLAYERS, **seeds))
    if not is_sqlite:
        with _without_limits():
            database.execute_sql("VACUUM (ANALYZE)")


def _apply(name: str) -> None:
    """Apply the migrations up to this one."""
    with _without_limits():
        Runner(database.obj, str(migrate.DIRECTORY)).up(name)


@contextmanager
def _without_limits() -> Iterator[None]:
    with reading():
        if hasattr(database.obj, "settling"):
            database.execute_sql("SET statement_timeout = 0")
            database.execute_sql("SET lock_timeout = 0")
        yield


def _waits(url: str, name: str) -> list[float]:
    """Apply a migration; returns the longest seconds that a write and a read of bets waited meanwhile."""
    over = threading.Event()
    longest = [0.0, 0.0]

    def ask(number: int, statement: str) -> None:
        with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            connection.autocommit = True
            for bet in itertools.cycle((1, 2)):
                began = time.monotonic()
                cursor.execute(statement, (bet,))
                longest[number] = max(longest[number], time.monotonic() - began)
                if over.wait(PAUSE_SECONDS):
                    return

    statements = (
        "UPDATE bets SET proof_delivered_at_ms = proof_delivered_at_ms WHERE id = %s",
        "SELECT item FROM bets WHERE id = %s",
    )
    threads = [threading.Thread(target=ask, args=asked) for asked in enumerate(statements)]
    for thread in threads:
        thread.start()
    try:
        _apply(name)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    return longest


def _size(options: argparse.Namespace) -> str:
    with reading():
        size = database.execute_sql(SIZES[not options.postgresql]).fetchone()[0]
    return f"{size / 1e9:.2f} GB"


@contextmanager
def _empty_database(*, postgresql: bool) -> Iterator[str]:
    if not postgresql:
        with tempfile.TemporaryDirectory() as place:
            yield f"sqlite:///{Path(place) / 'bench.db'}"
        return
    with durable_postgres() as server, server.fresh(Path()) as url:
        administer(url, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
        yield url


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.migration", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--bets", type=int, default=1_000_000, help="how many (%(default)s)")
    parser.add_argument("--postgresql", action="store_true", help="on a temporary PostgreSQL")
    return parser.parse_args()


if __name__ == "__main__":
    main()
