"""The setting of every measurement: the production server, its peers, and the load tools.

Servers run on one core and load tools on the other. All servers of a stage share one instance directory, so
that tokens and seeds of one are valid for all.
"""

import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask

from bench.speed.http_load import CONNECTIONS, WARMUP_SECONDS, Get, Load
from bench.speed.machine import Cores, running_on, two_cores
from bench.speed.made_up import made_up_prices
from services.items import importing as items_importing
from services.shared.clock import now_ms
from tests.harness.databases import create_tables_once, durable_postgres
from tests.harness.line_process import LineProcess, line_process
from tests.harness.local_app import local_app
from tests.harness.node import NODE, node
from tests.harness.process_stats import cpu_seconds
from tests.harness.servers import RunningServer, gunicorn, server_process

BENCH = Path(__file__).resolve().parents[1]
LOAD = BENCH / "load"
PEERS = BENCH / "peers"
ITEMS = 34_500
APP_ID = 730


@dataclass
class Stage:
    """The options of a run, and its servers and tools."""

    directory: Path
    quick: bool = False
    bets: Sequence[int] = (10_000, 100_000, 1_000_000)
    cores: Cores = field(default_factory=two_cores)

    @property
    def rounds(self) -> int:
        return 1 if self.quick else 5

    @property
    def seconds(self) -> float:
        """Seconds of one round of one side."""
        return 1.0 if self.quick else 1.5

    @property
    def env(self) -> dict[str, str]:
        """The environment of every process of this stage. There are no rate limits."""
        return {
            "INSTANCE_DIR": str(self.directory),
            # Tokens name it as their issuer. Its default depends on the port.
            "BASE_URL": "http://127.0.0.1",
            "RATELIMIT_ENABLED": "0",
            "JWT_TTL": "315360000",
            "PYTHONPATH": str(BENCH.parent),
            # Modules are compiled once, as in an installation, even if the caller has turned that off.
            "PYTHONDONTWRITEBYTECODE": "",
        }

    def env_of(self, url: str) -> dict[str, str]:
        """The database at this URL, with an instance directory of its own."""
        return {"DATABASE_URL": url, "INSTANCE_DIR": str(self.instance_dir(url))}

    def instance_dir(self, url: str) -> Path:
        """The files of its servers. With those of another database, bets would be paused."""
        place = self.directory / f"instance-{hashlib.sha256(url.encode()).hexdigest()[:16]}"
        place.mkdir(exist_ok=True)
        return place

    def new_sqlite(self, *, items: int = 0) -> str:
        """The URL of a new SQLite database with this many items."""
        place = Path(tempfile.mkdtemp(dir=self.directory))
        url = f"sqlite:///{place / 'bench.db'}"
        self.fill(url, items=items)
        return url

    def fill(self, url: str, *, items: int) -> None:
        """Create the tables of this database, and import this many items."""
        create_tables_once(url)
        if items:
            with self.platform_here(url):
                self.import_items(items)

    def import_items(self, count: int) -> None:
        """Import items into the open database."""
        document = {"metadata": {"currency": "USD"}, "prices": made_up_prices(count)}
        items_importing.import_document(document, app_id=APP_ID, now=now_ms())

    @contextmanager
    def platform_here(self, url: str, **options: Any) -> Iterator[Flask]:
        """The platform in this process, on this database; ``options`` are those of ``create_app``."""
        with local_app({**self.env, **self.env_of(url)}, **options) as app:
            yield app

    @contextmanager
    def platform(self, url: str, *, port: int | None = None, **env: str) -> Iterator[RunningServer]:
        """The production server on this database."""
        with self.server(gunicorn(), {**self.env_of(url), **env}, port=port) as server:
            yield server

    @contextmanager
    def node_peer(self, script: str, **env: str) -> Iterator[RunningServer]:
        """A Node.js program of bench/peers."""
        with self.server([str(NODE), str(PEERS / script)], {"NODE_ENV": "production", **env}) as server:
            yield server

    @contextmanager
    def server(
        self, command: list[str], env: Mapping[str, str], *, port: int | None = None
    ) -> Iterator[RunningServer]:
        """A server on the server's core."""
        place = Path(tempfile.mkdtemp(dir=self.directory))
        with ExitStack() as stack:
            with running_on(self.cores.server):
                running = stack.enter_context(server_process(command, {**self.env, **env}, place, port=port))
            yield running

    @contextmanager
    def new_postgres(self, *, items: int = 0) -> Iterator[str]:
        """The URL of a database with this many items, on a PostgreSQL with fsync that may use both cores."""
        with durable_postgres() as server, server.fresh() as url:
            self.fill(url, items=items)
            yield url

    def ask(self, server: RunningServer, gets: Sequence[Get], *, seconds: float | None = None) -> Load:
        """Send these requests in turn as fast as they are answered, each with 200."""
        options = {
            "port": server.port,
            "requests": [get.as_text() for get in gets],
            "connections": CONNECTIONS,
            "warmupSeconds": WARMUP_SECONDS,
            "seconds": seconds or self.seconds,
        }
        used = cpu_seconds(server.process.pid)
        with running_on(self.cores.load):
            output = node(LOAD / "http.mjs", stdin=options)
        assert set(output["statuses"]) == {"200"}, f"answered {output['statuses']}"
        return Load.of(output, cpu_seconds=cpu_seconds(server.process.pid) - used)

    @contextmanager
    def start_load(self, script: str, **options: object) -> Iterator[LineProcess]:
        """Start a tool of bench/load with these options on the load tools' core."""
        with ExitStack() as stack:
            with running_on(self.cores.load):
                process = stack.enter_context(line_process([NODE, LOAD / script]))
            process.send(options)
            yield process
