"""The stage of every measurement: the production server, its peers, and the tools that ask them.

Servers run on one core and what asks them on the other. All servers of one stage share one instance
directory, so that tokens and seeds made by one are good for all.
"""

import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask import Flask

from app import create_app
from bench.speed.machine import Cores, running_on, two_cores
from bench.speed.made_up import made_up_prices
from models.database import database
from services import exact_json, item_import
from services.clock import now_ms
from settings import Settings
from tests.support.databases import migrate_once
from tests.support.node import NODE
from tests.support.servers import RunningServer, come_to_rest, gunicorn, server_process

BENCH = Path(__file__).resolve().parents[1]
LOAD = BENCH / "load"
PEERS = BENCH / "peers"
ITEMS = 34_500
APP_ID = 730


@dataclass(frozen=True)
class Load:
    """What a load tool saw. Latencies in milliseconds; ``busy`` is the share of its core that it used."""

    per_second: float
    p50: float
    p99: float
    busy: float


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
        return 0.7 if self.quick else 2.0

    @property
    def env(self) -> dict[str, str]:
        """Of every process of this stage. No limits: it is the machine that is measured."""
        return {
            "INSTANCE_DIR": str(self.directory),
            "RATELIMIT_ENABLED": "0",
            "JWT_TTL": "315360000",
            "PYTHONPATH": str(BENCH.parent),
        }

    def prices(self, count: int = ITEMS) -> dict[str, int]:
        """Names and prices in cents of so many items: the feed's, or made up in its likeness."""
        if self.feed is not None:
            prices = exact_json.loads(self.feed.read_bytes())["prices"]
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
        item_import.import_document(document, app_id=APP_ID, now=now_ms())

    @contextmanager
    def platform_here(self, url: str) -> Iterator[Flask]:
        """The platform in this very process, over this database."""
        app = create_app(Settings.from_env({**self.env, "DATABASE_URL": url}))
        try:
            yield app
        finally:
            come_to_rest(app)
            database.obj.close_all()

    @contextmanager
    def platform(self, url: str, **env: str) -> Iterator[RunningServer]:
        """The production server over this database."""
        with self.server(gunicorn(), {"DATABASE_URL": url, **env}) as server:
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
        process = server_process(command, {**self.env, **env}, place)
        with running_on(self.cores.server):
            running = process.__enter__()
        try:
            yield running
        finally:
            process.__exit__(None, None, None)

    def ask(
        self,
        server: RunningServer,
        *paths: str,
        headers: Mapping[str, str] | None = None,
        connections: int = 8,
        seconds: float | None = None,
    ) -> Load:
        """Ask for these paths in turn as fast as they are answered, each with 200."""
        told = self.run_load(
            "http.mjs",
            {
                "port": port_of(server),
                "requests": [http_request(path, headers or {}) for path in paths],
                "connections": connections,
                "warmupSeconds": 0.3,
                "seconds": seconds or self.seconds,
            },
        )
        if set(told["statuses"]) != {"200"}:
            raise AssertionError(f"{paths[0]} was answered {told['statuses']}")
        return Load(told["perSecond"], told["p50"], told["p99"], told["busy"])

    def run_load(self, script: str, options: Mapping[str, Any]) -> Any:
        """Run a tool of bench/load on the load tools' core to its end; what it told."""
        with self.start_load(script, options) as process:
            output, errors = process.communicate()
        return read_told(process, output, errors)

    @contextmanager
    def start_load(self, script: str, options: Mapping[str, Any]) -> Iterator[subprocess.Popen[bytes]]:
        """Start a tool of bench/load on the load tools' core."""
        with tempfile.TemporaryFile(dir=self.directory) as given, running_on(self.cores.load):
            given.write(json.dumps(options).encode())
            given.seek(0)
            process = subprocess.Popen(
                [str(NODE), str(LOAD / script)],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def read_told(process: subprocess.Popen[bytes], output: bytes, errors: bytes) -> Any:
    """The JSON that a load tool printed. Raises AssertionError with its complaint when it failed."""
    if process.returncode != 0:
        raise AssertionError(f"the load tool failed: {errors.decode()[-2000:]}")
    return json.loads(output)


def port_of(server: RunningServer) -> int:
    port = urlsplit(server.url).port
    assert port is not None
    return port


def http_request(path: str, headers: Mapping[str, str]) -> str:
    """A whole GET request."""
    fields = {"Host": "127.0.0.1", **headers}
    return f"GET {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n"
