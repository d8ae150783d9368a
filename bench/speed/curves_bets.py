"""Times of requests and spins as the history of bets grows, measured by bench.history."""

import logging
from collections.abc import Iterator
from pathlib import Path

from app import create_app
from bench import history as bench_history
from bench.harness import bulk_history
from bench.harness.servers import come_to_rest
from bench.speed.bulk import written_in_bulk
from bench.speed.result import Curve
from bench.speed.stage import Stage
from models.db.connection import database
from settings import Settings

SEARCHED = (
    "a text may be any part of what is searched, so all of that player (a tenth of everything) is read;"
    " an index of parts of seeds would cost every spin more than a search costs the one who searches"
)

COUNTED = (
    "in an order that no number stands for, half of all entries of an index are passed over to the middle,"
    " the worst page of all; pages near either end stay as quick as the first"
)
SHORT_BECAUSE = {f"{what}, middle page": COUNTED for what in ("games by earning", "live bets", "high rolls")}
SHORT_BECAUSE |= {f"{what}, search": SEARCHED for what in bench_history.SEARCHES}


def measure(stage: Stage) -> Iterator[Curve]:
    """First quartiles of requests in this process, on PostgreSQL."""
    measured: dict[str, list[tuple[int, float]]] = {}
    with stage.postgres() as server, server.fresh(Path()) as url:
        clock = bench_history.HistoryClock()
        app = create_app(Settings.from_env({**stage.env, **stage.env_of(url)}), clock=clock)
        logging.getLogger("platform").setLevel(logging.ERROR)
        written = bulk_history.begin(seeds=app.extensions["services"].seeds, now=clock.now)
        for size in stage.bets:
            with written_in_bulk(url):
                bulk_history.extend(written, to=size)
            bulk_history.settle()
            clock.now = written.now
            for name, milliseconds in bench_history.measure(app, written):
                measured.setdefault(name, []).append((size, milliseconds))
        come_to_rest(app)
        database.obj.close_all()
    for name, points in measured.items():
        yield Curve(work=name, size="bets", points=points, short_because=SHORT_BECAUSE.get(name, ""))
