"""What do the parts that we wrote ourselves gain over their replacements?

    python -m bench.own_parts [--seconds 5]

Each line is one figure of docs/architecture.md, "What we wrote ourselves", measured on this machine.
"""

# Before any other import, as in gunicorn.conf.py.
from gevent import monkey

monkey.patch_all()

import itertools
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from functools import partial

import click
import gevent
import marshmallow as ma
from flask import Flask
from flask.json.provider import DefaultJSONProvider
from playhouse.pool import PooledPostgresqlDatabase
from socketio import RedisManager

from blueprints.upgrader.schemas import InventoryItemSchema
from models.callers import FIND_CALLER
from models.db import migrate
from models.db.batches import Batches
from models.db.connection import database, open_database, reading, writing
from models.db.postgres import POOL_SIZE, POOL_WAIT_SECONDS, cooperate_with_gevent
from models.db.sql import execute, execute_prepared
from models.users import User
from server.cluster.request_counts import RedisCounts
from server.cluster.signals import RedisSignals
from server.http.json_responses import JsonProvider
from server.rate_limiter import RateLimiter
from services.items.catalogue import CatalogueItem
from services.shared.clock import Millis
from services.shared.money import Cents
from services.shared.signals import Signal
from tests.harness.command_line import bench_command
from tests.harness.databases import packaged_postgres
from tests.harness.redis import redis_server

CLIENTS = 200
PLAYERS = 20
KEYS = 100_000
UPDATES = 5_000
ITEMS = 34_500


@bench_command(__doc__)
@click.option("--seconds", default=5.0, help="how long each side is measured")
def main(seconds: float) -> None:
    cooperate_with_gevent()
    with tempfile.TemporaryDirectory() as place:
        batches(f"sqlite:///{place}/bench.db", seconds)
        rate_limiter()
        rate_limiter_over_redis()
        signals()
        schema_dump()
        json_responses()
        written_sql(f"sqlite:///{place}/players.db")
    with packaged_postgres() as server:
        pool(server.get_uri(), seconds)
        prepared_statement(server.get_uri())


def pool(url: str, seconds: float) -> None:
    """The longest wait of many clients for a connection and a short query."""
    own = open_database(url)

    def with_own() -> None:
        with reading():
            own.execute_sql("SELECT pg_sleep(0.002)")

    stock = PooledPostgresqlDatabase(
        url, max_connections=POOL_SIZE, timeout=POOL_WAIT_SECONDS, autoconnect=False
    )

    def with_stock() -> None:
        with stock.connection_context():
            stock.execute_sql("SELECT pg_sleep(0.002)")

    for name, query in (("own pool", with_own), ("Peewee's pool", with_stock)):
        times, failed = ask(query, clients=CLIENTS, seconds=seconds)
        print(
            f"{name}: {CLIENTS} clients on {POOL_SIZE} connections: {len(times) / seconds:,.0f} queries/s, "
            f"longest {max(times):.2f} s, {failed} without a connection"
        )


def ask(query: Callable[[], None], *, clients: int, seconds: float) -> tuple[list[float], int]:
    """Run a query on many greenlets. Returns the seconds of each run, and the number of failures."""
    until = time.monotonic() + seconds
    times: list[float] = []
    failures: list[Exception] = []

    def client() -> None:
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                query()
            except Exception as failure:  # noqa: BLE001  # counted
                failures.append(failure)
            times.append(time.monotonic() - began)

    gevent.joinall([gevent.spawn(client) for _ in range(clients)])
    return times, len(failures)


def batches(url: str, seconds: float) -> None:
    """How many small transactions a second many players commit on SQLite."""
    open_database(url)
    with writing():
        database.execute_sql("CREATE TABLE counted (id INTEGER PRIMARY KEY, n INTEGER)")

    def insert() -> None:
        database.execute_sql("INSERT INTO counted (n) VALUES (1)")

    def alone() -> None:
        with writing():
            insert()

    def insert_all(asked: Sequence[None]) -> Sequence[None]:
        with writing():
            for _ in asked:
                insert()
        return asked

    together = Batches(insert_all)
    for name, write in (("one commit", lambda: together.run(None)), ("a commit each", alone)):
        times, _ = ask(write, clients=PLAYERS, seconds=seconds)
        print(f"{name}: {PLAYERS} players on SQLite: {len(times) / seconds:,.0f} transactions/s")


def written_sql(url: str) -> None:
    """The CPU time of an UPDATE of SQLite, with SQL written by hand and with Peewee's."""
    open_database(url)
    migrate.upgrade()
    update = "UPDATE users SET wagered_cents = wagered_cents + :wager WHERE id = :user_id"

    def generate() -> None:
        User.update(wagered_cents=User.wagered_cents + 1).where(User.id == 1).execute()

    for name, run in (
        ("SQL written by hand", lambda: execute(update, {"wager": 1, "user_id": 1})),
        ("Peewee's own", generate),
    ):
        with writing():
            run()
            began = time.process_time()
            for _ in range(UPDATES):
                run()
            took = time.process_time() - began
        print(f"{name}: {took / UPDATES * 1e6:,.0f} us of CPU for an UPDATE")


def prepared_statement(url: str) -> None:
    """The time and CPU time of reading the player of a request from PostgreSQL."""
    open_database(url)
    migrate.upgrade()
    values = {"platform_id": "nobody"}
    for name, read in (
        ("prepared statement", lambda: execute_prepared("find_caller", FIND_CALLER, values)),
        ("plain statement", lambda: execute(FIND_CALLER, values)),
    ):
        with reading():
            read()
            began, worked = time.perf_counter(), time.process_time()
            for _ in range(UPDATES):
                read().fetchone()
            took, worked = time.perf_counter() - began, time.process_time() - worked
        print(
            f"{name}: {took / UPDATES * 1e6:,.0f} us and {worked / UPDATES * 1e6:,.0f} us of CPU "
            "to read the player of a request"
        )


def json_responses() -> None:
    """The CPU time of making a response of JSON."""
    app = Flask(__name__)
    answer = {f"field{number}": "a text" if number % 3 else 12.34 for number in range(20)}
    for name, provider in (("JSON responses", JsonProvider(app)), ("Flask's own", DefaultJSONProvider(app))):
        began = time.process_time()
        for _ in range(ITEMS):
            provider.response(answer)
        print(f"{name}: {(time.process_time() - began) / ITEMS * 1e6:.0f} us of CPU for 20 fields")


def rate_limiter() -> None:
    """The time and memory of a hit with many clients."""
    timed, measured = RateLimiter(most=30, seconds=10), RateLimiter(most=30, seconds=10)
    took = longest = 0.0
    for key in range(KEYS):
        began = time.perf_counter()
        timed.hit(key)
        hit = time.perf_counter() - began
        took, longest = took + hit, max(longest, hit)
    tracemalloc.start()
    for key in range(KEYS):
        measured.hit(key)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(
        f"rate limiter: {KEYS:,} clients: {took / KEYS * 1e6:.1f} us a hit, longest {longest * 1e3:.1f} ms, "
        f"{size / KEYS:.0f} bytes a client"
    )


def signals() -> None:
    """The CPU time of a message to other processes, and the time of one while Redis does not answer."""
    payload = {"balance": 12.34}
    with redis_server() as server:
        own = RedisSignals(server.url)
        library = RedisManager(server.url, write_only=True)

        def publish_all() -> None:
            for _ in range(UPDATES):
                own.publish(Signal.CACHE, payload)
            own.send_waiting()

        def publish_each() -> None:
            for _ in range(UPDATES):
                library.emit("balance", payload)

        for name, publish in (("signals", publish_all), ("python-socketio's RedisManager", publish_each)):
            began = time.process_time()
            publish()
            print(f"{name}: {(time.process_time() - began) / UPDATES * 1e6:.0f} us of CPU a message")
        server.pause()
        for name, publish in (
            ("signals", lambda: own.publish(Signal.CACHE, payload)),
            ("python-socketio's RedisManager", lambda: library.emit("balance", payload)),
        ):
            began = time.perf_counter()
            publish()
            print(f"{name}: {time.perf_counter() - began:.3f} s for one while Redis does not answer")
        server.resume()


def rate_limiter_over_redis() -> None:
    """The CPU time and the latency of a hit over Redis: one after another, and of many requests at a time."""
    with redis_server() as server:
        counts = RedisCounts(server.url, heard_at=lambda: 0, live_processes=lambda: 1)
        shared = RateLimiter("bench", most=30, seconds=10, counts=counts)
        began, worked = time.perf_counter(), time.process_time()
        for key in range(UPDATES):
            shared.hit(key)
        took, worked = time.perf_counter() - began, time.process_time() - worked
        print(
            f"rate limiter over Redis: {worked / UPDATES * 1e6:.0f} us of CPU "
            f"and {took / UPDATES * 1e6:.0f} us a hit"
        )
        clients = itertools.count()
        times, _ = ask(lambda: shared.hit(next(clients)), clients=CLIENTS, seconds=1)
        print(
            f"rate limiter over Redis: {CLIENTS} requests at a time: {len(times):,} hits/s, "
            f"longest {max(times) * 1e3:.0f} ms"
        )


def schema_dump() -> None:
    """The CPU time of a dump of the whole catalogue."""
    schema = InventoryItemSchema()
    image = "https://cdn.example.com/1.png"
    item = CatalogueItem(730, "Name | Skin", "Name", "Skin", image, Cents(123), Millis(1), "name skin")
    for name, dump in (("schema dump", schema.dump), ("marshmallow's own", partial(ma.Schema.dump, schema))):
        began = time.process_time()
        for _ in range(ITEMS):
            dump(item)
        print(f"{name}: {time.process_time() - began:.2f} s of CPU for {ITEMS:,} items")


if __name__ == "__main__":
    main()
