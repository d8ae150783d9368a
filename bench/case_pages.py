"""Does a page of cases cost more when there are more cases?

    python -m bench.case_pages
    python -m bench.case_pages --feed prices.json --postgresql

Imports items and a few cases, requests every kind of page, imports many more cases, and requests the pages
again. The database is a temporary SQLite file, with --postgresql a temporary PostgreSQL, and with
DATABASE_URL that one, which must be empty.

Prints for each page the least time at both sizes, their ratio, and the number of statements. Exits with 1
when a page takes more than 1.5 times as long.
"""

import argparse
import contextlib
import logging
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path

import click
from flask import Flask
from flask.testing import FlaskClient

from app import create_app
from bench.harness.databases import postgres_server
from models.cases import Case
from models.db import migrate
from models.db.connection import database, writing
from models.items import Item
from services.cases import importing
from services.cases.kinds import Kind
from services.cases.pricing import reprice_cases_holding
from services.items import importing as items_importing
from services.shared import decimal_json
from services.shared.clock import now_ms
from settings import Settings

FEW, MANY = 500, 5_000
ITEMS_A_CASE = 12
GAMES = (730, 252_490)
MOST_GROWTH = 1.5
ONE = "no.-1-copper-lantern"
WORDS = (
    "Amber",
    "Arctic",
    "Ashen",
    "Bitter",
    "Bright",
    "Broken",
    "Carmine",
    "Cobalt",
    "Copper",
    "Crimson",
    "Distant",
    "Drowned",
    "Electric",
    "Fallen",
    "Foggy",
    "Gilded",
    "Golden",
    "Hidden",
    "Hollow",
    "Iron",
    "Ivory",
)
"""The words of names."""

ADDRESSES = {
    "most recent": "/api/cases/pagination",
    "oldest": "/api/cases/pagination?sort=Oldest",
    "price descending": "/api/cases/pagination?sort=Price%20Descending",
    "price ascending": "/api/cases/pagination?sort=Price%20Ascending",
    "the last page": "/api/cases/pagination?page={last}",
    "the middle, by price": "/api/cases/pagination?page={middle}&sort=Price%20Ascending",
    "past the end": "/api/cases/pagination?page=1000000",
    "gamea": "/api/cases/pagination?type=gamea",
    "gameb by price": "/api/cases/pagination?type=gameb&sort=Price%20Descending",
    "all kinds": "/api/cases/pagination?caseType=all",
    "level cases": "/api/cases/pagination?caseType=true",
    "search: many hits": "/api/cases/pagination?search=co",
    "search: few hits": "/api/cases/pagination?search=no.%20123%20",
    "search: no hit": "/api/cases/pagination?search=nothing%20of%20the%20kind",
    "search by price": "/api/cases/pagination?search=er&sort=Price%20Descending",
    "one case": "/api/cases/{one}",
    "the free case": "/api/cases/free",
}


def main() -> None:
    """Fill, measure, fill, measure, print."""
    options = _options()
    with _database(postgresql=options.postgresql) as (url, instance):
        app = _app(url, instance)
        names = _fill_items(options.feed, options.items)
        columns = []
        for size in (FEW, MANY):
            took = _fill_cases(names, size)
            print(f"{size:>6,} cases imported in {took:.1f} s", flush=True)
            columns.append(_measure(app, size, options.repeats))
        began = time.perf_counter()
        with writing():
            Case.update(price_cents=0).where(Case.kind != Kind.FREE).execute()
            reprice_cases_holding(list(Item.select(Item.id).scalars()))
        print(f"prices of all cases in {time.perf_counter() - began:.2f} s")
        grown = _print_table(*columns)
        _print_whole_list(app.test_client())
        database.obj.close_all()
    sys.exit(any(growth > MOST_GROWTH for growth in grown))


def _measure(app: Flask, size: int, repeats: int) -> dict[str, tuple[float, int]]:
    """The least time of each address in milliseconds, and its number of statements."""
    client, pages = app.test_client(), -(-size // 10)
    measured = {}
    with click.progressbar(
        ADDRESSES.items(), label=f"{size} cases", file=sys.stderr, hidden=not sys.stderr.isatty()
    ) as progress:
        for what, template in progress:
            address = template.format(last=pages * 8 // 10, middle=pages * 4 // 10, one=ONE)
            ask = partial(_get, client, address)
            measured[what] = _least_ms(ask, repeats), _statements(ask)
    return measured


def _get(client: FlaskClient, address: str) -> int:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.text)
    return len(answer.data)


def _least_ms(action: Callable[[], object], repeats: int) -> float:
    action()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times) * 1000


def _statements(action: Callable[[], object]) -> int:
    class Counter(logging.Handler):
        seen = 0

        def emit(self, record: logging.LogRecord) -> None:
            self.seen += record.name == "peewee" and '"bets"' not in str(record.msg)

    counter, log = Counter(), logging.getLogger("peewee")
    log.addHandler(counter)
    log.setLevel(logging.DEBUG)
    log.propagate = False
    action()
    log.removeHandler(counter)
    log.setLevel(logging.NOTSET)
    return counter.seen


def _print_table(few: dict[str, tuple[float, int]], many: dict[str, tuple[float, int]]) -> list[float]:
    print(f"\n{'':<24}{f'{FEW:,}':>10}{f'{MANY:,}':>10}{'growth':>9}{'statements':>12}")
    grown = []
    for what, (before, _) in few.items():
        after, statements = many[what]
        grown.append(after / before)
        print(f"{what:<24}{before:>7.2f} ms{after:>7.2f} ms{after / before:>9.2f}{statements:>12}")
    return grown


def _print_whole_list(client: FlaskClient) -> None:
    began = time.perf_counter()
    size = _get(client, "/api/cases?type=all")
    first = time.perf_counter() - began
    again = _least_ms(lambda: _get(client, "/api/cases?type=all"), 20)
    print(f"\nthe whole list, {size / 1e6:.1f} MB: first {first:.2f} s, then {again:.2f} ms")


def _fill_items(feed: Path | None, count: int) -> list[str]:
    if feed is not None:
        prices = decimal_json.loads(feed.read_bytes())["prices"]
    else:
        prices = {f"Item No. {number} | {_word(number)}": number % 5_000 + 1 for number in range(count)}
    names = list(prices)
    for appid, some in zip(GAMES, (names[::2], names[1::2]), strict=True):
        document = {"metadata": {"currency": "USD"}, "prices": {name: prices[name] for name in some}}
        items_importing.import_document(document, app_id=appid, now=now_ms())
    print(f"{len(names):>6,} items")
    return names


def _word(number: int) -> str:
    return WORDS[number % len(WORDS)]


def _fill_cases(names: list[str], size: int) -> float:
    """Import this many cases in total: every tenth is a level case; some have items of both games."""
    chosen = random.Random(size)
    rows = []
    for number in range(size):
        among = (names[::2], names[1::2], names)[number % 3]
        kind = "free" if number == 0 else "level" if number % 10 == 9 else "regular"
        first, second = WORDS[number * 7 % len(WORDS)], WORDS[number * 11 % len(WORDS)]
        rows.append(
            {
                "name": f"No. {number} {first} {second}" if number != 1 else "No. 1 Copper Lantern",
                "kind": kind,
                "items": [
                    {"marketHashName": name, "percentage": Decimal(12 if place == 0 else 8)}
                    for place, name in enumerate(chosen.sample(among, ITEMS_A_CASE))
                ],
            }
        )
    began = time.perf_counter()
    with click.progressbar(rows, label="import", file=sys.stderr, hidden=not sys.stderr.isatty()) as shown:
        importing.import_cases(shown, now=now_ms())
    return time.perf_counter() - began


def _app(url: str, instance: str) -> Flask:
    app = create_app(
        Settings.from_env({"DATABASE_URL": url, "INSTANCE_DIR": instance, "RATELIMIT_ENABLED": "0"})
    )
    logging.getLogger("platform").setLevel(logging.ERROR)
    migrate.upgrade()
    return app


@contextlib.contextmanager
def _database(*, postgresql: bool) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        url = os.environ.get("DATABASE_URL") or f"sqlite:///{directory}/bench.db"
        if postgresql:
            server = stack.enter_context(postgres_server())
            url = stack.enter_context(server.fresh(Path(directory)))
        yield url, directory


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.case_pages", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--feed", type=Path, help="a price feed to take names and prices from (made up)")
    parser.add_argument("--items", type=int, default=34_500, help="how many to make up (%(default)s)")
    parser.add_argument("--repeats", type=int, default=50, help="of each page (%(default)s)")
    parser.add_argument("--postgresql", action="store_true", help="on a temporary PostgreSQL")
    return parser.parse_args()


if __name__ == "__main__":
    main()
