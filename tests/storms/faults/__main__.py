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
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import click
from flask import Flask

from models.db import migrate
from services.shared.clock import Millis, now_ms
from tests.harness.command_line import bench_command, end_with
from tests.harness.databases import DurablePostgres, durable_postgres
from tests.harness.fault_proxy import (
    HALF,
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
from tests.storms.faults.routes import Outcome
from tests.storms.faults.storm import LONGEST_ANSWER_SECONDS, FaultResult, FaultStorm

MOST_FREE_SECONDS = 0.2
MOST_RECOVERY_SECONDS = 5.0
CALM_SECONDS = 1
YEAR_HOURS = 365 * 24
TEN_YEARS_SECONDS = 315_360_000
A_YEAR_AGO_MS = 366 * 24 * 3_600_000
SQLITE_DISK, POSTGRES_DISK = "24m", "256m"

NETWORK: dict[str, Fault | tuple[Fault, Fault]] = {
    "database: 50 ms each way": latency(0.05),
    "database: 1 s each way": latency(1),
    "database: slices of 16 bytes": slices(0.005),
    "database: half answers": HALF,
    "database: reset": RESET,
    "database: silent": STALL,
    "database: silent to newcomers": (RESET, STALL),
}
FEED = {"feed: silent": STALL, "feed: slices": slices(0.05), "feed: half answers": HALF, "feed: reset": RESET}
CLOCK = {
    "clock: +1 hour": 1,
    "clock: -1 hour": -1,
    "clock: +1 year": YEAR_HOURS,
    "clock: -1 year": -YEAR_HOURS,
}


@dataclass
class Scene:
    """One server and its faults; ``app`` is on the same database."""

    app: Flask
    storm: FaultStorm
    faults: dict[str, Callable[[], AbstractContextManager[object]]] = field(default_factory=dict)


@bench_command(__doc__)
@click.option("--seconds", default=12.0, help="how long each fault lasts")
@click.option("--only", default="", help="only faults with this in their name, such as 'disk'")
def main(seconds: float, only: str) -> None:
    click.echo(HEAD)
    broken = []
    for scene in (_network, _full_sqlite, _full_postgres):
        with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
            broken += _play(stack.enter_context(scene(Path(place))), seconds, only)
    end_with(broken)


def _play(scene: Scene, seconds: float, only: str) -> list[str]:
    """Run the faults of a scene. Returns a line for each broken guarantee."""
    broken, results = [], []
    faults = [(name, fault) for name, fault in scene.faults.items() if only in name]
    if not faults:
        return []
    scene.storm.begin()
    for name, fault in faults:
        time.sleep(CALM_SECONDS)
        result = scene.storm.run(name, fault(), seconds=seconds)
        audit, _ = checks.audit(scene.app)
        _print(result, audit)
        results.append(result)
        broken += [f"{name}: {line}" for line in [*audit, *_broken_by(result)]]
    broken += scene.storm.end()
    # Requests that began during the fault and ended after it count too.
    broken += [f"{result.name}: {line}" for result in results for line in result.wrong]
    print(f"  {scene.storm.spins:,} spins settled, each once")
    return broken


def _broken_by(result: FaultResult) -> Iterator[str]:
    if result.slowest_seconds > LONGEST_ANSWER_SECONDS:
        yield f"an answer took {result.slowest_seconds:.1f} s"
    if result.slowest_free_seconds > MOST_FREE_SECONDS:
        yield f"{result.slowest_free} took {result.slowest_free_seconds * 1000:.0f} ms"
    if result.recovery_seconds > MOST_RECOVERY_SECONDS:
        yield f"a spin succeeded only after {result.recovery_seconds:.1f} s"
    is_database = result.name.startswith(("database", "disk"))
    if not is_database and result.outcomes[Outcome.REFUSED]:
        yield f"refusals, though the database was there: {dict(result.refused)}"


HEAD = (
    f"{'fault':<32}{'success':>9}{'refused':>9}{'wrong':>7}{'slowest':>9}{'no db':>8}{'recovery':>10}  audits"
)


def _print(result: FaultResult, audit: list[str]) -> None:
    counts = [result.outcomes[each] for each in (Outcome.SUCCESS, Outcome.REFUSED, Outcome.WRONG)]
    print(
        f"{result.name:<32}{counts[0]:>9,}{counts[1]:>9,}{counts[2]:>7,}{result.slowest_seconds:>7.1f} s"
        f"{result.slowest_free_seconds * 1000:>5.0f} ms{result.recovery_seconds:>8.2f} s"
        f"  {'clean' if not audit else 'MISMATCHES'}",
        flush=True,
    )


@contextmanager
def _network(place: Path) -> Iterator[Scene]:
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
        scene = stack.enter_context(_scene(place, url, more, target=target))
        for name, faults in NETWORK.items():
            scene.faults[name] = lambda faults=faults: _being(to_database, faults)
        for name, fault in FEED.items():
            scene.faults[name] = lambda fault=fault: to_feed.being(fault)
        for name, hours in CLOCK.items():
            scene.faults[name] = lambda hours=hours: _set(clock, hours)
        yield scene


@contextmanager
def _being(proxy: FaultProxy, faults: Fault | tuple[Fault, ...]) -> Iterator[None]:
    *before, last = faults if isinstance(faults, tuple) else (faults,)
    for fault in before:
        proxy.become(fault)
    with proxy.being(last):
        yield


@contextmanager
def _set(clock: Path, hours: int) -> Iterator[None]:
    clock.write_text(str(hours))
    yield
    clock.write_text("0")


@contextmanager
def _full_sqlite(place: Path) -> Iterator[Scene]:
    """SQLite, images and the log on one small disk."""
    with _small_disk(place, SQLITE_DISK), _scene(place, f"sqlite:///{place / 'bench.db'}", {}) as scene:
        scene.faults["disk full: SQLite"] = lambda: _filled(place)
        yield scene


@contextmanager
def _full_postgres(place: Path) -> Iterator[Scene]:
    """PostgreSQL on a small disk. When it stops there, it is started again, as an operator would do."""
    data = place / "data"
    data.mkdir()
    with (
        _small_disk(data, POSTGRES_DISK),
        durable_postgres(data / "pg") as server,
        server.fresh() as url,
        _scene(place, url, {}) as scene,
    ):
        scene.faults["disk full: PostgreSQL"] = lambda: _filled_under(server, data)
        yield scene


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
def _scene(place: Path, url: str, more: Mapping[str, str], *, target: str = "wsgi:app") -> Iterator[Scene]:
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
            yield Scene(app, FaultStorm(app, server.url))


if __name__ == "__main__":
    main()
