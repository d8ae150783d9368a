"""The whole catalogue, compressed, compared with its bytes alone and with Express."""

from collections.abc import Iterator
from functools import partial

from bench.speed.compare import requests_per_second
from bench.speed.http_load import Get
from bench.speed.ready import BARE_WSGI, fetch, ready_peer
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage
from tests.harness.servers import RunningServer

PATH = "/upgrader/items"
PLAIN = Get(PATH)
GZIP = Get(PATH, {"Accept-Encoding": "gzip"})
WORK = f"{PATH}, {ITEMS:,} items, gzip"


def measure(stage: Stage) -> Iterator[Row]:
    """Requests a second."""
    with stage.platform(stage.new_sqlite(items=ITEMS)) as platform:
        yield _against_bare_wsgi(stage, platform)
        yield _against_express(stage, platform)


def _against_bare_wsgi(stage: Stage, platform: RunningServer) -> Row:
    answer = fetch(platform, GZIP)
    with ready_peer(stage, BARE_WSGI, answer) as bare:
        ratio, figures = requests_per_second(
            partial(stage.ask, platform, [GZIP]), partial(stage.ask, bare, [GZIP]), rounds=stage.rounds
        )
    return Row(
        work=WORK,
        against="a bare WSGI program with the same bytes, same worker",
        goal=0.45,
        measured=ratio,
        detail=f"{figures}; {len(answer.body):,} bytes each",
    )


def _against_express(stage: Stage, platform: RunningServer) -> Row:
    whole = fetch(platform, PLAIN)
    kept = stage.directory / "items.json"
    kept.write_bytes(whole.body)
    with stage.node_peer("express_items.mjs", ITEMS=str(kept)) as express:
        assert fetch(express, PLAIN).body == whole.body, "Express answers other items"
        # Longer, so that it answers enough requests.
        ask_express = partial(stage.ask, express, [PLAIN], seconds=3 * stage.seconds)
        ratio, figures = requests_per_second(
            partial(stage.ask, platform, [GZIP]), ask_express, rounds=stage.rounds
        )
    kept.unlink()
    return Row(
        work=WORK,
        against="Express, res.json of the same list, not compressed",
        goal=20,
        measured=ratio,
        detail=f"{figures}; Express sends {len(whole.body):,} bytes",
    )
