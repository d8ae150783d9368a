"""The whole catalogue, compressed, compared with its bytes alone and with Express."""

from collections.abc import Iterator

from bench.harness.servers import RunningServer
from bench.speed.asking import Get
from bench.speed.ready import BARE_WSGI, fetch, ready_peer
from bench.speed.requests_per_second import Asked, requests_per_second
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage

PATH = "/upgrader/items"
PLAIN = Get(PATH)
GZIP = Get(PATH, {"Accept-Encoding": "gzip"})
EXPRESS_PATIENCE = 3
WORK = f"{PATH}, {ITEMS:,} items, gzip"


def measure(stage: Stage) -> Iterator[Row]:
    """Requests a second."""
    with stage.platform(stage.new_sqlite(items=ITEMS)) as platform:
        yield _against_bare_wsgi(stage, platform)
        yield _against_express(stage, platform)


def _against_bare_wsgi(stage: Stage, platform: RunningServer) -> Row:
    answer = fetch(platform, GZIP)
    with ready_peer(stage, BARE_WSGI, answer) as bare:
        seen = requests_per_second(stage, Asked(platform, [GZIP]), Asked(bare, [GZIP]))
    return Row(
        work=WORK,
        against="a bare WSGI program with the same bytes, same worker",
        goal=0.45,
        measured=seen.compared.ratio,
        detail=f"{seen}; {len(answer.body):,} bytes each",
    )


def _against_express(stage: Stage, platform: RunningServer) -> Row:
    whole = fetch(platform, PLAIN)
    kept = stage.directory / "items.json"
    kept.write_bytes(whole.body)
    with stage.node_peer("express_items.mjs", ITEMS=str(kept)) as express:
        assert fetch(express, PLAIN).body == whole.body, "Express answers other items"
        seen = requests_per_second(stage, Asked(platform, [GZIP]), Asked(express, [PLAIN], EXPRESS_PATIENCE))
    kept.unlink()
    return Row(
        work=WORK,
        against="Express, res.json of the same list, not compressed",
        goal=20,
        measured=seen.compared.ratio,
        detail=f"{seen}; Express sends {len(whole.body):,} bytes",
    )
