"""The longest block of the event loop: the slowest /healthz while heavy requests are served.

All greenlets share one process, so work that does not yield delays all requests.
"""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal

import requests

from bench.speed.health import watched_health
from bench.speed.machine import running_on
from bench.speed.made_up import made_up_prices
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage
from services.cases import importing
from services.shared.clock import now_ms
from tests.harness.players import Player, create_player
from tests.harness.price_sources import document, price_server, text
from tests.harness.servers import RunningServer

MOST_MS = 50
CASES, ITEMS_A_CASE = 2_000, 12
LARGE_CASES, ITEMS_A_LARGE_CASE = 100, 500
REST_SECONDS = 2.0
SHARE = Decimal("0.1")
REFRESHED = 'price_refreshes_total{outcome="applied",source="feed"} 1.0'


def measure(stage: Stage) -> Iterator[Row]:
    """The longest wait on each database; the detail has the longest one during each kind of work."""
    with stage.new_postgres(items=ITEMS) as url:
        yield _row(stage, url, "PostgreSQL")
    yield _row(stage, stage.new_sqlite(items=ITEMS), "SQLite")


def _row(stage: Stage, url: str, kind: str) -> Row:
    longest = dict(_longest_waits(stage, url))
    worst = sorted(longest.items(), key=lambda pair: -pair[1])
    return Row(
        work=f"the longest wait of /healthz while others' work is done, {kind}",
        against="the clock",
        goal=MOST_MS,
        measured=worst[0][1],
        at_most=True,
        unit="ms",
        detail=", ".join(f"{work}: {ms:.0f} ms" for work, ms in worst),
    )


def _longest_waits(stage: Stage, url: str) -> Iterator[tuple[str, float]]:
    player = _fill(stage, url)
    with stage.platform(url) as platform:
        for work, do in _works(platform, player).items():
            yield work, _longest_ms(stage, platform, do)
    with price_server() as source:
        source.answer = text(document({name: cents + 1 for name, cents in made_up_prices(ITEMS).items()}))
        with stage.platform(url, PRICE_FEED_URL=source.url) as platform:
            yield (
                f"{ITEMS:,} prices from the feed",
                _longest_ms(stage, platform, lambda: _wait_for_the_feed(platform)),
            )


def _wait_for_the_feed(server: RunningServer) -> None:
    while REFRESHED not in _get(server, "/metrics"):
        time.sleep(0.2)


def _works(server: RunningServer, player: Player) -> dict[str, Callable[[], object]]:
    def asked(path: str, *, method: str = "GET", body: bytes | None = None) -> Callable[[], object]:
        return lambda: _get(server, path, method=method, body=body, headers=player.headers)

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


def _longest_ms(stage: Stage, server: RunningServer, do: Callable[[], object]) -> float:
    with running_on(stage.cores.load), watched_health(server, every_seconds=0.0005) as health:
        do()
    return health.longest_ms


def _get(
    server: RunningServer,
    path: str,
    *,
    method: str = "GET",
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> str:
    headers = {**(headers or {}), "Accept-Encoding": "identity"}
    return requests.request(method, server.url + path, data=body, headers=headers, timeout=120).text


def _fill(stage: Stage, url: str) -> Player:
    """Add small and large cases and a player."""
    names = list(made_up_prices(ITEMS))
    with stage.platform_here(url) as app:
        for count, size in ((CASES, ITEMS_A_CASE), (LARGE_CASES, ITEMS_A_LARGE_CASE)):
            importing.import_cases(_cases(names, count, size), now=now_ms())
        return create_player(app)


def _cases(names: list[str], count: int, size: int) -> list[dict[str, object]]:
    chosen = random.Random(size)
    return [
        {
            "name": f"No. {number} of {size}",
            "items": [
                {"marketHashName": name, "percentage": 100 - SHARE * (size - 1) if place == 0 else SHARE}
                for place, name in enumerate(chosen.sample(names, size))
            ],
        }
        for number in range(count)
    ]
