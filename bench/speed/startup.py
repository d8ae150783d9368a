"""Time from the start of the process to its first answer."""

import os
import statistics
import sys
import time
from collections.abc import Iterator

from bench.speed.compare import take_turns
from bench.speed.http_load import Get
from bench.speed.ready import fetch
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage

PATH = "/upgrader/items"
BARE_FLASK = "bench.peers.bare_flask:app"


def measure(stage: Stage) -> Iterator[Row]:
    """Seconds that the platform needs more than a program that only imports flask."""
    url = stage.new_sqlite(items=ITEMS)

    def platform() -> float:
        began = time.monotonic()
        with stage.platform(url) as server:
            fetch(server, Get(PATH))
            return time.monotonic() - began

    def bare() -> float:
        began = time.monotonic()
        # With an empty configuration, because gunicorn would find that of the platform.
        command = [sys.executable, *["-m", "gunicorn", "--config"], os.devnull, "--bind", "127.0.0.1:{port}"]
        with stage.server([*command, BARE_FLASK], {}) as server:
            fetch(server, Get("/healthz"))
            return time.monotonic() - began

    # Not measured, because the first start compiles the modules.
    platform()
    bare()
    ours, theirs = take_turns(platform, bare, rounds=stage.rounds)
    yield Row(
        work=f"start to the first {PATH}, {ITEMS:,} items",
        against="the start of a bare `import flask` program under gunicorn",
        goal=2.0,
        measured=statistics.median(mine - other for mine, other in zip(ours, theirs, strict=True)),
        at_most=True,
        unit="s more",
        detail=f"{statistics.median(ours):.2f} s to {statistics.median(theirs):.2f} s",
    )
