"""A searched and sorted page of the catalogue, compared with Express and pg, which query PostgreSQL."""

import itertools
import json
import random
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from bench.speed.compare import requests_per_second
from bench.speed.http_load import Get
from bench.speed.made_up import made_up_prices
from bench.speed.ready import fetch
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage
from tests.harness.servers import RunningServer

PATH = "/upgrader/items/pagination"
SEARCHES = 500
"""All different, so that no response repeats the one before."""
COMPARED = 12
SORTS = ("Ascending", "Descending")
LETTERS = (3, 4, 5)


def measure(stage: Stage) -> Iterator[Row]:
    """Requests a second. Both use one PostgreSQL with the same items."""
    gets = [Get(f"{PATH}?{query}") for query in _queries()]
    with (
        stage.new_postgres(items=ITEMS) as url,
        stage.platform(url) as platform,
        stage.node_peer("express_pages.mjs", DATABASE_URL=url) as express,
    ):
        for get in gets[:COMPARED]:
            _check_same(platform, express, get)
        ratio, figures = requests_per_second(
            partial(stage.ask, platform, gets), partial(stage.ask, express, gets), rounds=stage.rounds
        )
    yield Row(
        work=f"{PATH}, search and sort, {ITEMS:,} items",
        against="Express + pg: ILIKE, ORDER BY, LIMIT, and a count, same PostgreSQL",
        goal=3,
        measured=ratio,
        detail=f"{figures}; {SEARCHES} different searches; PostgreSQL on both cores",
    )


def _queries() -> list[str]:
    """Parts of item names, as typed by a player, each with a sort order."""
    drawn = random.Random(1)
    names = list(made_up_prices(ITEMS))
    chosen: dict[str, str] = {}
    for sort in itertools.cycle(SORTS):
        words = [word for word in drawn.choice(names).split() if len(word) >= max(LETTERS) and word.isascii()]
        if not words or not words[0].isalpha():
            continue
        search = drawn.choice(words)[: drawn.choice(LETTERS)]
        chosen.setdefault(search.lower(), urlencode({"search": search, "sort": sort}))
        if len(chosen) == SEARCHES:
            break
    return list(chosen.values())


def _check_same(platform: RunningServer, express: RunningServer, get: Get) -> None:
    """Raises AssertionError unless both find the same number of items at the same prices."""
    ours, theirs = (_shown(json.loads(fetch(server, get).body)) for server in (platform, express))
    assert ours == theirs, (get.path, ours, theirs)


def _shown(page: Mapping[str, Any]) -> tuple[Any, list[str]]:
    return page["pagination"], [item["price"] for item in page["items"]]
