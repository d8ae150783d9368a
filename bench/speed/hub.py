"""How long does a request wait for another's work?

    python -m bench.speed.hub
    python -m bench.speed.hub --feed prices.json --postgresql

The production server does one piece of heavy work after the other, while somebody asks it for /healthz all
the time. Prints the longest that an answer took during each; it includes what the machine itself adds, which
the first line shows. Exits 1 when one took longer than 50 ms.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

from app import create_app
from models import migrate
from models.database import database
from services import exact_json, item_import, users
from services.cases import importing
from services.clock import now_ms
from services.money import Cents
from settings import Settings
from tests.support.databases import postgres_server
from tests.support.price_sources import document, price_server, text
from tests.support.servers import RunningServer, gunicorn, server_process

MOST_MS = 50
ITEMS = 34_500
CASES, ITEMS_A_CASE = 2_000, 12
LARGE_CASES, ITEMS_A_LARGE_CASE = 100, 500
REST_SECONDS = 2.0
TURN_TAKEN = 'price_turns_total{outcome="applied",source="feed"} 1.0'

WATCHER = """
import http.client, select, sys, time

connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]))
longest = 0.0
print("watching", flush=True)
while not select.select([sys.stdin], [], [], 0.0005)[0]:
    began = time.perf_counter()
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    longest = max(longest, time.perf_counter() - began)
print(longest)
"""
"""In a process of its own, which nothing else that happens here holds up."""


def main() -> None:
    """Fill, start, do one thing after the other, print."""
    options = _options()
    with _database(postgresql=options.postgresql) as (url, instance), price_server() as source:
        env = {
            "DATABASE_URL": url,
            "INSTANCE_DIR": instance,
            "BASE_URL": "http://127.0.0.1:5000",
            "RATELIMIT_ENABLED": "0",
            "CATALOGUE_TTL": "86400",
        }
        prices = _prices(options.feed)
        token = _fill(env, prices)
        source.answer = text(document({name: cents + 1 for name, cents in prices.items()}))
        longest = dict(_measured(env, Path(instance), token, source.url))
    for work, ms in longest.items():
        print(f"{work:<54}{ms:>8.1f} ms")
    sys.exit(max(longest.values()) > MOST_MS)


def _measured(env: dict[str, str], place: Path, token: str, feed: str) -> Iterator[tuple[str, float]]:
    with server_process(gunicorn(), env, place) as server:
        for work, do in _works(server, token).items():
            yield work, _longest_ms(server, do)
    with server_process(gunicorn(), env | {"PRICE_FEED_URL": feed}, place) as server:
        yield f"{ITEMS:,} prices from the feed", _longest_ms(server, lambda: _wait_for_the_feed(server))


def _wait_for_the_feed(server: RunningServer) -> None:
    while TURN_TAKEN not in _get(server, "/metrics"):
        time.sleep(0.2)


def _works(server: RunningServer, token: str) -> dict[str, Callable[[], object]]:
    def asked(path: str, *, method: str = "GET", body: bytes | None = None) -> Callable[[], object]:
        return lambda: _get(server, path, method=method, body=body, token=token)

    many_keys = json.dumps({f"key-{number}": number for number in range(4_000)}).encode()
    return {
        "nothing": lambda: time.sleep(REST_SECONDS),
        f"the catalogue of {ITEMS:,} items, built": asked("/upgrader/items"),
        "the catalogue, uncompressed": asked("/upgrader/items"),
        "a search that finds nearly everything": asked("/upgrader/items/pagination?search=a&limit=100"),
        "the API document, made": asked("/openapi.json"),
        "the API browser": asked("/docs/"),
        f"all {CASES + LARGE_CASES:,} cases": asked("/api/cases?type=all"),
        f"a page of {LARGE_CASES} cases of {ITEMS_A_LARGE_CASE} items": asked(
            "/api/cases/pagination?limit=100"
        ),
        "the leaderboard": asked("/leaderboard"),
        "live bets": asked("/stats/live-bets?limit=100"),
        "the counters": asked("/metrics"),
        "a body of nothing but brackets": asked("/affiliate/set-code", method="POST", body=b"[" * 60_000),
        "a body of 4,000 keys": asked("/affiliate/set-code", method="POST", body=many_keys),
        "a number of 60,000 digits": asked(
            "/profile/vault/lock", method="POST", body=b'{"amount":' + b"9" * 60_000 + b"}"
        ),
        "a QR code": asked("/profile/2fa/setup", method="POST"),
    }


def _longest_ms(server: RunningServer, do: Callable[[], object]) -> float:
    command = [sys.executable, "-c", WATCHER, str(urlsplit(server.url).port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as watcher:
        assert watcher.stdin is not None
        assert watcher.stdout is not None
        watcher.stdout.readline()
        do()
        watcher.stdin.close()
        return float(watcher.stdout.read()) * 1000


def _get(
    server: RunningServer, path: str, *, method: str = "GET", body: bytes | None = None, token: str = ""
) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(server.url).port or 80, timeout=120)
    connection.request(method, path, body=body, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse().read().decode()
    connection.close()
    return answer


def _fill(env: dict[str, str], prices: dict[str, int]) -> str:
    app = create_app(Settings.from_env(env))
    migrate.upgrade()
    feed = {"metadata": {"currency": "USD"}, "prices": prices}
    item_import.import_document(feed, app_id=730, now=now_ms())
    rows = [
        *_cases(list(prices), CASES, ITEMS_A_CASE),
        *_cases(list(prices), LARGE_CASES, ITEMS_A_LARGE_CASE),
    ]
    importing.store(importing.read(rows), now=now_ms())
    platform = app.extensions["platform"]
    player = users.create(username="player", seeds=platform.seeds, balance=Cents(10_000), now=now_ms())
    token: str = platform.tokens.issue(platform_id=player.platform_id, now=now_ms())
    database.obj.close_all()
    return token


def _cases(names: list[str], count: int, size: int) -> list[dict[str, object]]:
    chosen = random.Random(size)
    share = Decimal(100) / 1_000
    return [
        {
            "name": f"No. {number} of {size}",
            "items": [
                {"marketHashName": name, "percentage": 100 - share * (size - 1) if place == 0 else share}
                for place, name in enumerate(chosen.sample(names, size))
            ],
        }
        for number in range(count)
    ]


def _prices(feed: Path | None) -> dict[str, int]:
    if feed is not None:
        return dict(exact_json.loads(feed.read_bytes())["prices"])
    return {f"Item No. {number} | Copper {number % 977}": number % 5_000 + 30 for number in range(ITEMS)}


@contextlib.contextmanager
def _database(*, postgresql: bool) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        url = os.environ.get("DATABASE_URL") or f"sqlite:///{directory}/bench.db"
        if postgresql:
            url = stack.enter_context(stack.enter_context(postgres_server()).fresh(Path(directory)))
        yield url, directory


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.hub", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--feed", type=Path, help="a price feed to take names and prices from (made up)")
    parser.add_argument("--postgresql", action="store_true", help="on a temporary PostgreSQL")
    return parser.parse_args()


if __name__ == "__main__":
    main()
