"""What happens to answers and coins when the network, the clock or a disk fails?

    python -m tests.storms.faults
    python -m tests.storms.faults --seconds 30 --only silent

Players spin and readers read at a production server. Meanwhile the network to PostgreSQL or to the price
feed is slow, silent, cut or reset, the clock is set, and the disk of SQLite or of PostgreSQL is full. The
disks are small tmpfs mounts, which need root.

Prints a line for each fault: answers by kind, the slowest answer, the slowest one that needs no database,
the time from the fault's end to the next spin, and what the audits found. Exits with 1 unless every answer
was a success or a clear refusal within ten seconds (200 ms without a database), a spin succeeded within five
seconds of the fault's end, the audits found nothing, and no spin was lost or played twice.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import click

from models.db import migrate
from services.shared.clock import Millis, now_ms
from tests.harness.command_line import bench_command, end_with
from tests.harness.databases import DurablePostgres, durable_postgres
from tests.harness.fault_proxy import (
    HALF,
    PASS,
    RESET,
    STALL,
    Fault,
    FaultProxy,
    before_postgres,
    fault_proxy,
    latency,
    slices,
)
from tests.harness.local_app import local_app
from tests.harness.price_sources import feed, price_server
from tests.harness.servers import gunicorn, server_process
from tests.storms.crashes import checks
from tests.storms.faults.storm import FaultStorm

CALM_SECONDS = 1
YEAR_HOURS = 365 * 24
TEN_YEARS_SECONDS = 315_360_000
A_YEAR_AGO_MS = 366 * 24 * 3_600_000
SQLITE_DISK, POSTGRES_DISK = "24m", "256m"

NETWORK = {
    "database: 50 ms each way": [latency(0.05)],
    "database: 1 s each way": [latency(1)],
    "database: slices of 16 bytes": [slices(0.005)],
    "database: half answers": [HALF],
    "database: reset": [RESET],
    "database: silent": [STALL],
    "database: silent to newcomers": [RESET, STALL],
}
FEED = {"feed: silent": STALL, "feed: slices": slices(0.05), "feed: half answers": HALF, "feed: reset": RESET}
CLOCK = {
    "clock: +1 hour": 1,
    "clock: -1 hour": -1,
    "clock: +1 year": YEAR_HOURS,
    "clock: -1 year": -YEAR_HOURS,
}
HEAD = (
    f"{'fault':<32}{'success':>9}{'refused':>9}{'wrong':>9}{'slowest':>9}{'no db':>8}{'recovery':>10}  audits"
)

Faults = dict[str, Callable[[], AbstractContextManager[object]]]


@bench_command(__doc__)
@click.option("--seconds", default=12.0, help="how long each fault lasts")
@click.option("--only", default="", help="only faults with this in their name, such as 'disk'")
def main(seconds: float, only: str) -> None:
    click.echo(HEAD)
    broken = []
    for scene in (_network, _full_sqlite, _full_postgres):
        with tempfile.TemporaryDirectory() as place, scene(Path(place)) as (storm, faults):
            if chosen := {name: fault for name, fault in faults.items() if only in name}:
                broken += _play(storm, chosen, seconds)
    end_with(broken)


def _play(storm: FaultStorm, faults: Faults, seconds: float) -> list[str]:
    """Run these faults. Returns a line for each broken guarantee."""
    results, broken = [], []
    storm.begin()
    for name, fault in faults.items():
        time.sleep(CALM_SECONDS)
        result = storm.run(name, fault(), seconds=seconds)
        audit, _ = checks.audit(storm.app)
        click.echo(f"{name:<32}{result.figures()}  {'MISMATCHES' if audit else 'clean'}")
        results.append(result)
        broken += [f"{name}: {line}" for line in [*audit, *result.broken()]]
    broken += storm.end()
    # Requests that began during the fault and ended after it count too.
    broken += [f"{result.name}: {line}" for result in results for line in result.wrong]
    click.echo(f"  {storm.spins:,} spins settled, each once")
    return broken


@contextmanager
def _network(place: Path) -> Iterator[tuple[FaultStorm, Faults]]:
    """PostgreSQL and a price feed behind proxies, and a clock that can be set."""
    clock = place / "clock"
    clock.write_text("0")
    with ExitStack() as stack:
        url = stack.enter_context(stack.enter_context(durable_postgres()).fresh())
        to_database, address = stack.enter_context(before_postgres(url))
        source = stack.enter_context(price_server())
        source.answer = feed({})
        to_feed = stack.enter_context(fault_proxy(("127.0.0.1", urlsplit(source.url).port or 0)))
        more = {
            "DATABASE_URL": address,
            "CLOCK_FILE": str(clock),
            "PRICE_FEED_URL": f"http://127.0.0.1:{to_feed.port}/prices",
            "PRICE_REFRESH_SECONDS": "1",
        }
        target = "tests.storms.faults.settable_clock_app:app"
        faults: Faults = {}
        for name, each in NETWORK.items():
            faults[name] = lambda each=each: _being(to_database, each)
        for name, fault in FEED.items():
            faults[name] = lambda fault=fault: to_feed.being(fault)
        for name, hours in CLOCK.items():
            faults[name] = lambda hours=hours: _set(clock, hours)
        yield stack.enter_context(_storm(place, url, more, target=target)), faults


@contextmanager
def _being(proxy: FaultProxy, faults: list[Fault]) -> Iterator[None]:
    """The last of these faults, begun by the others."""
    for fault in faults:
        proxy.become(fault)
    yield
    proxy.become(PASS)


@contextmanager
def _set(clock: Path, hours: int) -> Iterator[None]:
    clock.write_text(str(hours))
    yield
    clock.write_text("0")


@contextmanager
def _full_sqlite(place: Path) -> Iterator[tuple[FaultStorm, Faults]]:
    """SQLite, images and the log on one small disk."""
    with _small_disk(place, SQLITE_DISK), _storm(place, f"sqlite:///{place / 'storm.db'}", {}) as storm:
        yield storm, {"disk full: SQLite": lambda: _filled(place)}


@contextmanager
def _full_postgres(place: Path) -> Iterator[tuple[FaultStorm, Faults]]:
    """PostgreSQL on a small disk. When it stops there, it is started again, as an operator would do."""
    data = place / "data"
    data.mkdir()
    with (
        _small_disk(data, POSTGRES_DISK),
        durable_postgres(data / "pg") as server,
        server.fresh() as url,
        _storm(place, url, {}) as storm,
    ):
        yield storm, {"disk full: PostgreSQL": lambda: _filled_under(server, data)}


@contextmanager
def _filled(directory: Path) -> Iterator[None]:
    """Fill the file system of this directory to the last byte during the block."""
    ballast = directory / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1024 * 1024, 4096, 1):
            try:
                while file.write(b"\1" * size) == size:
                    pass
            except OSError:
                continue
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def _filled_under(server: DurablePostgres, data: Path) -> Iterator[None]:
    with _filled(data):
        yield
    server.start_if_down()


@contextmanager
def _small_disk(place: Path, size: str) -> Iterator[None]:
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True, check=False
    )
    if mounted.returncode:
        sys.exit("a small disk can't be mounted here: run this as root, where mounting is allowed")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


@contextmanager
def _storm(
    place: Path, url: str, more: Mapping[str, str], *, target: str = "wsgi:app"
) -> Iterator[FaultStorm]:
    env = {
        "DATABASE_URL": url,
        "INSTANCE_DIR": str(place),
        "BASE_URL": "http://127.0.0.1:5000",
        "UPGRADER_PROOF_DELAY": "0.5",
        "RATELIMIT_ENABLED": "0",
        # Valid a year from now and a year ago.
        "JWT_TTL": str(TEN_YEARS_SECONDS),
    }
    with local_app(env, clock=lambda: Millis(now_ms() - A_YEAR_AGO_MS)) as app:
        migrate.upgrade()
        with server_process(gunicorn(target), env | more, place) as server:
            yield FaultStorm(app, server.url)


if __name__ == "__main__":
    main()
