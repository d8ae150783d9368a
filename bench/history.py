"""Does anything get slower as the history grows?

    python -m bench.history
    python -m bench.history --bets 10000,1000000,10000000
    DATABASE_URL=postgresql://... python -m bench.history      (an empty database of your own; or sqlite:///...)

Measures the same requests on growing histories of bets, by default in a temporary PostgreSQL. The first
player makes a tenth of all bets and all requests; 199 others make the other bets. The figures are
milliseconds in this process, without a network: the first quartile of many, which other work on the machine
disturbs least, and its ratio to that of the smallest history.

First pages, totals, the leaderboard and a spin should stay within 1.5 times. A search, and a list
of one game, read the whole history of their player and grow with it.
"""

import argparse
import logging
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from flask import Flask

from app import create_app
from bench.harness import bulk_history
from bench.harness.bulk_history import History
from bench.harness.databases import postgres_server
from bench.harness.servers import come_to_rest
from bench.harness.spins import at
from models.db import migrate
from models.db.connection import database
from services.accounts import users
from services.items import importing as items_importing
from services.shared.cache_invalidation import Tag, invalidate_after_commit
from services.shared.money import Cents
from services.upgrader.spin import SpinRequest
from settings import Settings

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


def main() -> None:
    """Fill, measure and print for each size."""
    options = _options()
    logging.getLogger("platform").setLevel(logging.WARNING)
    measured: dict[str, list[float]] = {}
    with _database_url() as url, tempfile.TemporaryDirectory() as instance:
        clock = HistoryClock()
        app = create_app(_settings(url, instance), clock=clock)
        logging.getLogger("platform").setLevel(logging.WARNING)
        migrate.upgrade()
        written = bulk_history.begin(seeds=app.extensions["services"].seeds, now=BEGIN)
        for size in options.bets:
            _fill(written, size)
            clock.now = written.now
            for name, milliseconds in measure(app, written):
                measured.setdefault(name, []).append(milliseconds)
        come_to_rest(app)
        database.obj.close_all()
    _print(options.bets, measured)


class HistoryClock:
    """A clock that shows the end of the history."""

    now = BEGIN

    def __call__(self) -> int:
        return self.now


def _fill(written: History, size: int) -> None:
    began = time.monotonic()
    with click.progressbar(
        length=size - written.bets, label=f"{size:,} bets", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as progress:
        bulk_history.extend(written, to=size, progress=progress.update)
    print(f"{size:,} bets after {time.monotonic() - began:.0f} s of writing", flush=True)


def measure(app: Flask, written: History) -> Iterator[tuple[str, float]]:
    """The milliseconds of each request, and of a spin, by name."""
    services, client = app.extensions["services"], app.test_client()
    first = written.players[0]
    token = services.tokens.issue(platform_id=first.platform_id, session=0, now=services.clock())

    def get(path: str) -> object:
        # Without the cache: a cached response costs the same for every history.
        for tag in Tag:
            invalidate_after_commit(tag)
        answer = client.get(path, headers={"Authorization": f"Bearer {token}"})
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
    for name, path in SEARCHES.items():
        yield f"{name}, search", _quartile(lambda path=path: get(path), repeats=SLOW_REPEATS)
    yield "a spin", _spin_time(app)


def _spin_time(app: Flask) -> float:
    """A spin of each of many players, who have short histories while the platform has a long one."""
    services = app.extensions["services"]
    row = {"appid": 730, "marketHashName": ITEM, "price": 10}
    items_importing.import_document([row], app_id=None, now=services.clock())
    names = [f"spinner-{services.clock()}-{number}" for number in range(SPINNERS)]
    spinners = [
        users.create(username=name, seeds=services.seeds, now=services.clock(), balance=Cents(100_000))
        for name in names
    ]
    turns = iter(spinners * (REPEATS + 1))

    def spin() -> None:
        services.upgrader.play(
            user_id=next(turns).id, request=SpinRequest(amount=1, item=ITEM), clock=services.clock
        )

    return _quartile(spin, repeats=REPEATS * SPINNERS)


def _quartile(action: Callable[[], object], *, repeats: int = REPEATS) -> float:
    """Milliseconds. The first call, which fills caches, does not count."""
    times = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        action()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.quantiles(times[1:])[0]


def _print(sizes: list[int], measured: dict[str, list[float]]) -> None:
    print(f"\n{'ms, and times the smallest':<34}" + "".join(f"{size:>20,}" for size in sizes))
    for name, times in measured.items():
        columns = [f"{milliseconds:>12.2f}{milliseconds / times[0]:>7.2f}x" for milliseconds in times]
        print(f"{name:<34}" + "".join(columns))


def _settings(url: str, instance: str) -> Settings:
    return Settings.from_env(
        {"DATABASE_URL": url, "INSTANCE_DIR": instance, "RATELIMIT_ENABLED": "0", "JWT_TTL": "315360000"}
    )


@contextmanager
def _database_url() -> Iterator[str]:
    given = os.environ.get("DATABASE_URL")
    if given:
        yield given
        return
    with postgres_server() as server, server.fresh(Path()) as url:
        yield url


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.history", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--bets", default="10000,1000000", help="how many bets, growing, separated by commas (%(default)s)"
    )
    options = parser.parse_args()
    try:
        options.bets = [int(size) for size in options.bets.split(",")]
    except ValueError:
        parser.error("--bets must be whole numbers, separated by commas")
    if options.bets != sorted(set(options.bets)) or options.bets[0] < 1:
        parser.error("--bets must grow")
    return options


if __name__ == "__main__":
    main()
