"""The stage of every measurement: the production server, its peers, and the tools that ask them.

Servers run on one core and what asks them on the other. All servers of one stage share one instance
directory, so that tokens and seeds made by one are good for all.
"""

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flask import Flask

from app import create_app
from bench.harness.databases import migrate_once
from bench.harness.node import NODE
from bench.harness.servers import RunningServer, come_to_rest, gunicorn, server_process
from bench.speed.asking import ASK, CONNECTIONS, Get, Load, asking, check_answered
from bench.speed.machine import Cores, cpu_seconds, running_on, two_cores
from bench.speed.made_up import made_up_prices
from bench.speed.postgres import DurablePostgres, durable_postgres
from models.db.connection import database
from services.items import importing as items_importing
from services.shared import decimal_json
from services.shared.clock import now_ms
from settings import Settings

BENCH = Path(__file__).resolve().parents[1]
LOAD = BENCH / "load"
PEERS = BENCH / "peers"
ITEMS = 34_500
APP_ID = 730


@dataclass
class Stage:
    """How to measure, and the means to."""

    directory: Path
    feed: Path | None = None
    quick: bool = False
    bets: Sequence[int] = (10_000, 100_000, 1_000_000)
    cores: Cores = field(default_factory=two_cores)

    @property
    def rounds(self) -> int:
        return 2 if self.quick else 5

    @property
    def seconds(self) -> float:
        """Of one round of one side."""
        return 1.0 if self.quick else 1.5

    @property
    def env(self) -> dict[str, str]:
        """Of every process of this stage. No limits: it is the machine that is measured."""
        return {
            "INSTANCE_DIR": str(self.directory),
            # Tokens name it as their issuer; without it every port has another.
            "BASE_URL": "http://127.0.0.1",
            "RATELIMIT_ENABLED": "0",
            "JWT_TTL": "315360000",
            "PYTHONPATH": str(BENCH.parent),
            # Modules are compiled once, as where it is installed, also where whoever measures would not.
            "PYTHONDONTWRITEBYTECODE": "",
        }

    def env_of(self, url: str) -> dict[str, str]:
        """The database at this URL, with an instance directory of its own."""
        return {"DATABASE_URL": url, "INSTANCE_DIR": str(self.instance_dir(url))}

    def instance_dir(self, url: str) -> Path:
        """Its servers' files. With those of another database, all its seeds would be redrawn."""
        place = self.directory / f"instance-{hashlib.sha256(url.encode()).hexdigest()[:16]}"
        place.mkdir(exist_ok=True)
        return place

    def prices(self, count: int = ITEMS) -> dict[str, int]:
        """Names and prices in cents of so many items: the feed's, or made up in its likeness."""
        if self.feed is not None:
            prices = decimal_json.loads(self.feed.read_bytes())["prices"]
            return dict(list(prices.items())[:count])
        return made_up_prices(count)

    def new_sqlite(self, *, items: int = 0) -> str:
        """The URL of a fresh SQLite database, with so many items."""
        place = Path(tempfile.mkdtemp(dir=self.directory))
        url = f"sqlite:///{place / 'bench.db'}"
        self.fill(url, items=items)
        return url

    def fill(self, url: str, *, items: int) -> None:
        """Migrate this database and import so many items."""
        migrate_once(url)
        if items:
            with self.platform_here(url):
                self.import_items(items)

    def import_items(self, count: int) -> None:
        """Into the open database."""
        document = {"metadata": {"currency": "USD"}, "prices": self.prices(count)}
        items_importing.import_document(document, app_id=APP_ID, now=now_ms())

    @contextmanager
    def platform_here(self, url: str) -> Iterator[Flask]:
        """The platform in this very process, over this database."""
        app = create_app(Settings.from_env({**self.env, **self.env_of(url)}))
        try:
            yield app
        finally:
            come_to_rest(app)
            database.obj.close_all()

    @contextmanager
    def platform(self, url: str, **env: str) -> Iterator[RunningServer]:
        """The production server over this database."""
        with self.server(gunicorn(), {**self.env_of(url), **env}) as server:
            yield server

    @contextmanager
    def peer(self, target: str, **env: str) -> Iterator[RunningServer]:
        """A WSGI program of bench/peers under the same worker and the same configuration."""
        with self.server(gunicorn(target), env) as server:
            yield server

    @contextmanager
    def node_peer(self, script: str, **env: str) -> Iterator[RunningServer]:
        """A Node.js program of bench/peers."""
        with self.server([str(NODE), str(PEERS / script)], {"NODE_ENV": "production", **env}) as server:
            yield server

    @contextmanager
    def server(self, command: list[str], env: Mapping[str, str]) -> Iterator[RunningServer]:
        """Any server on the server's core."""
        place = Path(tempfile.mkdtemp(dir=self.directory))
        with ExitStack() as stack:
            with running_on(self.cores.server):
                running = stack.enter_context(server_process(command, {**self.env, **env}, place))
            yield running

    @contextmanager
    def postgres(self) -> Iterator[DurablePostgres]:
        """A temporary PostgreSQL with fsync on, free to use both cores; its ``fresh`` makes databases."""
        with durable_postgres() as server:
            yield server

    def ask(
        self,
        server: RunningServer,
        gets: Sequence[Get],
        *,
        connections: int = CONNECTIONS,
        seconds: float | None = None,
    ) -> Load:
        """Ask for these in turn as fast as they are answered, each with 200."""
        options = asking(server, gets, connections=connections, seconds=seconds or self.seconds)
        used = cpu_seconds(server.process.pid)
        told = self.run_load(ASK, options)
        check_answered(told)
        return Load.of(told, cpu_seconds=cpu_seconds(server.process.pid) - used)

    def run_load(self, script: str, options: Mapping[str, Any]) -> Any:
        """Run a tool of bench/load to its end; what it told. Raises AssertionError when it failed."""
        with self.start_load(script) as process:
            told, _ = process.communicate(json.dumps(options).encode())
        if process.returncode != 0:
            raise AssertionError(f"the load tool {script} failed; see above")
        return json.loads(told)

    @contextmanager
    def start_load(self, script: str) -> Iterator[subprocess.Popen[bytes]]:
        """Start a tool of bench/load on the load tools' core, to be told what to do on standard input."""
        with running_on(self.cores.load):
            process = subprocess.Popen(
                [str(NODE), str(LOAD / script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        with process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.kill()
