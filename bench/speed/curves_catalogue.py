"""Times of building the catalogue, sending all of it, and sending a page, as it grows."""

import time
from collections.abc import Iterator

from bench.speed.http_load import Get
from bench.speed.items import GZIP
from bench.speed.ready import fetch
from bench.speed.result import Curve
from bench.speed.stage import ITEMS, Stage
from services.shared.pagination import Place
from services.upgrader import catalogue
from services.upgrader.catalogue import Sort

SIZES = (1_000, 4_000, 12_000, ITEMS)
BUILDS = 5
PAGES = {
    "a page of items": Get("/upgrader/items/pagination?sort=Ascending&page=2"),
    "a page of items, search": Get("/upgrader/items/pagination?search=ic&sort=Ascending"),
}
WHOLE = "all items, gzip"
BUILD = "building the catalogue"
FIRST = "all items, the first time"


def measure(stage: Stage) -> Iterator[Curve]:
    """First quartiles of one client on SQLite, which other work on the machine disturbs least."""
    measured: dict[str, list[tuple[int, float]]] = {}

    def note(what: str, size: int, milliseconds: float) -> None:
        measured.setdefault(what, []).append((size, milliseconds))

    bytes_sent = []
    for size in SIZES:
        url = stage.new_sqlite(items=size)
        note(BUILD, size, _build_ms(stage, url))
        with stage.platform(url) as platform:
            began = time.perf_counter()
            bytes_sent.append(len(fetch(platform, GZIP).body))
            note(FIRST, size, (time.perf_counter() - began) * 1000)
            for what, get in {WHOLE: GZIP, **PAGES}.items():
                note(what, size, stage.ask(platform, [get], connections=1, seconds=1).p25)
    detail = {WHOLE: f"{bytes_sent[0]:,} to {bytes_sent[-1]:,} bytes"}
    for what, points in measured.items():
        yield Curve(
            work=what,
            size="items",
            points=points,
            allowed=0.0 if what in PAGES else 1.0,
            detail=detail.get(what, ""),
        )


def _build_ms(stage: Stage, url: str) -> float:
    """Time to read the catalogue from the database and prepare its search."""
    times = []
    with stage.platform_here(url):
        for _ in range(BUILDS):
            began = time.perf_counter()
            catalogue.build().page(Place(1, 18), sort=Sort.ASCENDING, search="ic")
            times.append((time.perf_counter() - began) * 1000)
    return min(times)
