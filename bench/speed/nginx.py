"""Public pages through nginx as deployed: against the same nginx serving the same bytes from a file.

nginx, with the configuration of deploy/, and the platform share the server's core; the load tool is wrk.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.speed import wrk
from bench.speed.asking import Get, port_of
from bench.speed.cached_pages import fill
from bench.speed.compare import in_turns
from bench.speed.items import GZIP
from bench.speed.machine import running_on
from bench.speed.ready import fetch
from bench.speed.result import Row
from bench.speed.stage import ITEMS, Stage
from tests.support.nginx import nginx
from tests.support.servers import RunningServer, free_port

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
}}
"""


@dataclass(frozen=True)
class Proxy:
    """nginx in front of a platform, and beside it nginx serving files."""

    url: str
    static_url: str
    static_directory: Path


def measure(stage: Stage) -> Iterator[Row]:
    """Requests a second."""
    with stage.platform(stage.new_sqlite(items=ITEMS), TRUSTED_PROXIES="1") as platform:
        yield _row(stage, platform, GZIP, LIST_GOAL, f"{GZIP.path}, {ITEMS:,} items, gzip, through nginx")
    with stage.postgres() as server, server.fresh(Path()) as url:
        fill(stage, url)
        with stage.platform(url, TRUSTED_PROXIES="1") as platform:
            for path in PAGES:
                yield _row(stage, platform, Get(path), PAGE_GOAL, f"{path}, through nginx")


@contextmanager
def in_front_of(stage: Stage, platform: RunningServer) -> Iterator[Proxy]:
    """The configuration of deploy/, on the server's core."""
    port = free_port()
    with TemporaryDirectory(dir=stage.directory) as place:
        files = Path(place) / "files"
        files.mkdir()
        # The worker of nginx reads it without being its owner.
        Path(place).chmod(0o755)
        with (
            running_on(stage.cores.server),
            nginx(
                upstream_port=port_of(platform),
                instance_dir=stage.directory,
                directory=Path(place),
                extra=STATIC.format(port=port, directory=files),
            ) as (url, _),
        ):
            yield Proxy(url, f"http://127.0.0.1:{port}", files)


def _row(stage: Stage, platform: RunningServer, get: Get, goal: float, work: str) -> Row:
    answer = fetch(platform, get)
    is_gzip = "Content-Encoding" in answer.headers
    with in_front_of(stage, platform) as proxy:
        (proxy.static_directory / ("page.gz" if is_gzip else "page")).write_bytes(answer.body)
        ask = partial(wrk.requests_per_second, core=stage.cores.load, seconds=stage.seconds)
        compared = in_turns(
            lambda: ask(proxy.url, get),
            lambda: ask(proxy.static_url, Get("/page", get.headers)),
            rounds=stage.rounds,
        )
    return Row(
        work=work,
        against="the same nginx, serving the same bytes from a file",
        goal=goal,
        measured=compared.ratio,
        detail=f"{compared.told('requests/s')}; {len(answer.body):,} bytes each",
    )
