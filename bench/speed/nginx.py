"""Public pages through nginx as deployed, compared with nginx serving the same response from a file.

nginx, with the configuration of deploy/, and the platform share the server's core; the load tool is wrk.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import requests

from bench.harness.nginx import nginx
from bench.harness.servers import RunningServer, free_port
from bench.speed import wrk
from bench.speed.cached_pages import fill
from bench.speed.compare import Comparison, take_turns
from bench.speed.http_load import Get
from bench.speed.items import GZIP
from bench.speed.machine import like_a_server, running_on
from bench.speed.ready import fetch
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage

PAGES = ("/api/cases/case-7", "/stats/live-bets", "/leaderboard")
LIST_GOAL, PAGE_GOAL = 0.9, 0.8
STATIC = """
sendfile on;
tcp_nopush on;
server {{
    listen 127.0.0.1:{port};
    root {directory};
    default_type application/json;
    gzip_static on;
    etag off;
    access_log {directory}/access.log platform buffer=32k flush=1s;
    add_header X-Request-Id $request_id;
    {headers}
}}
"""
OWN_HEADERS = (
    "server",
    "date",
    "connection",
    "content-type",
    "content-length",
    "content-encoding",
    "last-modified",
    "x-request-id",
)
"""Headers that nginx makes itself."""

NICE = 7
"""The niceness with a fifth of the usual share, like ``CPUWeight=20`` of deploy/README.md."""


def measure(stage: Stage) -> Iterator[Row]:
    """Requests a second."""
    with stage.platform(stage.new_sqlite(items=ITEMS), TRUSTED_PROXIES="1") as platform:
        yield _row(stage, platform, GZIP, LIST_GOAL, f"{GZIP.path}, {ITEMS:,} items, gzip, through nginx")
    with stage.new_postgres() as url:
        fill(stage, url)
        with stage.platform(url, TRUSTED_PROXIES="1") as platform:
            for path in PAGES:
                yield _row(stage, platform, Get(path), PAGE_GOAL, f"{path}, through nginx")


@contextmanager
def both_ways(stage: Stage, platform: RunningServer, get: Get) -> Iterator[tuple[str, str]]:
    """The address of a page through nginx as in deploy/, and that of a file: same headers, same log."""
    answer = fetch(platform, get)
    headers = requests.get(platform.url + get.path, headers=dict(get.headers), timeout=60).headers.items()
    added = [
        f"add_header {name} {json.dumps(value)};"
        for name, value in headers
        if name.lower() not in OWN_HEADERS
    ]
    port = free_port()
    with TemporaryDirectory(dir=stage.directory) as place:
        directory = Path(place)
        # For nginx's worker, which may run as another user.
        directory.chmod(0o755)
        (directory / ("page.gz" if "Content-Encoding" in answer.headers else "page")).write_bytes(answer.body)
        extra = STATIC.format(port=port, directory=directory, headers="\n    ".join(added))
        with in_front_of(stage, platform, extra=extra) as proxied:
            yield proxied.url + get.path, f"http://127.0.0.1:{port}/page"


@contextmanager
def in_front_of(stage: Stage, platform: RunningServer, *, extra: str = "") -> Iterator[RunningServer]:
    """The platform at nginx's address, with the configuration of deploy/; nginx is on the server's core."""
    with (
        like_a_server(),
        TemporaryDirectory(dir=stage.directory) as place,
        running_on(stage.cores.server),
        nginx(
            upstream_ports=[platform.port], instance_dir=stage.directory, directory=Path(place), extra=extra
        ) as (url, process),
    ):
        os.setpriority(os.PRIO_PGRP, process.pid, NICE)
        yield replace(platform, url=url)


def _row(stage: Stage, platform: RunningServer, get: Get, goal: float, work: str) -> Row:
    ask = partial(wrk.requests_per_second, get.headers, core=stage.cores.load, seconds=stage.seconds)
    with both_ways(stage, platform, get) as (proxied, static):
        sides = partial(ask, proxied), partial(ask, static)
        compared = Comparison(*take_turns(*sides, rounds=stage.rounds))
    return Row(
        work=work,
        against="the same nginx, serving the same response from a file",
        goal=goal,
        measured=compared.ratio,
        detail=compared.text("requests/s"),
    )
