"""Times of requests and spins as the history of bets grows, on PostgreSQL.

The first player makes a tenth of all bets and all requests; 199 others make the other bets. The times are
those of this process, without a network.
"""

import statistics
import time
from collections.abc import Callable, Iterator

from flask import Flask

from bench.speed.result import Row, growth
from bench.speed.stage import Stage
from services.bets.live_pages import LivePages
from services.shared.signals import Tag, invalidate_after_commit
from tests.harness import bulk_history
from tests.harness.bulk_history import History
from tests.harness.players import create_players, import_prices, signed_in
from tests.harness.spins import Clock, at, play_spin

BEGIN = at("2026-01-01 00:00")
REPEATS = 30
SLOW_REPEATS = 3
SPINNERS = 20
ITEM = "Item of a spin"

FIRST_PAGES = {
    "totals": "/stats/profile",
    "games": "/stats/games",
    "games by earning": "/stats/games?sort=most-earned",
    "payments": "/stats/payments",
    "payments by amount": "/stats/payments?sort=lowest-amount",
    "fairness": "/stats/fairness",
    "live bets": "/stats/live-bets",
    "high rolls": "/stats/live-bets?type=high-rolls",
    "leaderboard, week": "/leaderboard",
    "leaderboard, month": "/leaderboard?period=monthly",
}
PAGED = {name: path for name, path in FIRST_PAGES.items() if name != "totals" and "leaderboard" not in path}
SEARCHES = {
    "games of one game": "/stats/games?search=case",
    "proofs of one game": "/stats/fairness?game=case",
    "payments": "/stats/payments?search=tx-7",
    "fairness": "/stats/fairness?search=c0ffee",
}


def measure(stage: Stage) -> Iterator[Row]:
    """First quartiles of many requests, which other work on the machine disturbs least."""
    measured: dict[str, list[tuple[int, float]]] = {}
    clock = Clock(BEGIN)
    with stage.new_postgres() as url, stage.platform_here(url, clock=clock) as app:
        written = bulk_history.begin(seeds=app.extensions["services"].seeds, now=clock.now)
        for size in stage.bets:
            bulk_history.extend(written, to=size)
            clock.now = written.now
            for name, milliseconds in _times(app, written):
                measured.setdefault(name, []).append((size, milliseconds))
    for name, points in measured.items():
        yield growth(name, "bets", points)


def _times(app: Flask, written: History) -> Iterator[tuple[str, float]]:
    """The milliseconds of each request, and of a spin, by name."""
    client, services = app.test_client(), app.extensions["services"]
    headers = signed_in(app, written.players[0]).headers

    def get(path: str) -> object:
        # Without the cache: a cached response costs the same for every history.
        for tag in Tag:
            invalidate_after_commit(tag)
        answer = client.get(path, headers=headers)
        assert answer.status_code == 200, (path, answer.text)
        return answer.json

    for name, path in FIRST_PAGES.items():
        yield f"{name}, page 1" if name in PAGED else name, _quartile(lambda path=path: get(path))
    for name, path in PAGED.items():
        sign = "&" if "?" in path else "?"
        last = get(path)["data"]["totalPages"]
        for where, number in (("middle", last // 2 or 1), ("last", last)):
            yield (
                f"{name}, {where} page",
                _quartile(lambda path=f"{path}{sign}page={number}": get(path), repeats=REPEATS // 3),
            )

    def get_first_far_page() -> None:
        services.live_pages = LivePages()
        get(f"{FIRST_PAGES['live bets']}?page={written.bets // 20}")

    yield "live bets, a first far page", _quartile(get_first_far_page, repeats=SLOW_REPEATS)
    for name, path in SEARCHES.items():
        yield f"{name}, search", _quartile(lambda path=path: get(path), repeats=SLOW_REPEATS)
    yield "a spin", _spin_time(app)


def _spin_time(app: Flask) -> float:
    """A spin of each of many players, who have short histories while the platform has a long one."""
    import_prices({ITEM: 10}, now=app.extensions["services"].clock())
    turns = iter(create_players(app, SPINNERS, coins=1_000) * (REPEATS + 1))
    return _quartile(lambda: play_spin(app, next(turns), ITEM), repeats=REPEATS * SPINNERS)


def _quartile(action: Callable[[], object], *, repeats: int = REPEATS) -> float:
    """Milliseconds. The first call, which fills caches, does not count."""
    times = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        action()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.quantiles(times[1:])[0]
