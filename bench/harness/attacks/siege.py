"""A production server under all attacks at once while players spin from other addresses."""

import json
import secrets
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

from bench.harness import bulk_history
from bench.harness.databases import bench_database
from bench.harness.line_process import LineProcess
from bench.harness.local_app import local_app
from bench.harness.node import NODE, SCRIPTS
from bench.harness.servers import ROOT, RunningServer, free_port, gunicorn, server_process
from bench.harness.waiting import wait_until
from models.db.connection import writing
from services.accounts import users
from services.items import importing as items_importing
from services.shared.clock import now_ms
from services.shared.money import Cents

ATTACKER = "127.0.0.2"
ITEM = "Item of a siege"
BALANCE = Cents(1_000_000_000)
SPIN_EVERY_MS = 2_000
ANSWER_SECONDS = 120
SETTLED_SECONDS = 120
"""The memory at this time after the beginning is compared with the memory at the end."""

RECOVERY_SECONDS = 75
"""After the attacks: the server closes what has stopped within a minute."""

MEMORY_GROWTH = 1.10
Counts = dict[str, int]


@dataclass
class Siege:
    """The server's counts before, during and after the attacks, and the results of the players' spins."""

    counts: dict[str, Counts] = field(default_factory=dict)
    players: dict[str, Any] = field(default_factory=dict)
    attacks: dict[str, int] = field(default_factory=dict)
    seconds: float = 0

    @property
    def left(self) -> dict[str, str]:
        """The counts that are higher afterwards than before."""
        before, after = self.counts["before"], self.counts["after"]
        return {
            name: f"{after[name]} afterwards, {before[name]} before"
            for name in before
            if name != "memory" and after[name] > before[name]
        }

    @property
    def problems(self) -> list[str]:
        """A line for each broken promise."""
        settled, after = self.counts["settled"], self.counts["after"]
        found = [f"{name}: {what}" for name, what in self.left.items()]
        if after["memory"] > MEMORY_GROWTH * settled["memory"]:
            found.append(f"memory: {after['memory']} bytes afterwards, {settled['memory']} when settled")
        if not self.players["spins"]:
            found.append("nobody could spin")
        if self.players["late"]:
            found.append(f"{self.players['late']} spins took more than a second")
        for what in ("refused", "disconnects"):
            found += [f"{what}: {number} x {why}" for why, number in self.players[what].items()]
        return found


def run_siege(
    directory: Path,
    *,
    postgresql: bool,
    seconds: float,
    players: int = 20,
    scale: int = 10,
    bets: int = 0,
    only: str = "",
    target: str = "bench.harness.attacks.counting_app:app",
    progress: Callable[[str], None] = lambda _line: None,
) -> Siege:
    """Start a server and attack it for so many seconds.

    ``scale`` is how many of each attack run at a time, ``only`` a part of their names. With ``bets`` the
    database has so many, a tenth of them the attacker's. ``target`` is what gunicorn serves.
    """
    siege, began = Siege(), time.monotonic()
    with bench_database(directory, postgresql=postgresql) as database_url:
        port = free_port()
        env = _env(directory, database_url, port)
        tokens = _fill(env, players=players, bets=bets)
        with (
            server_process(gunicorn(target), env, directory) as server,
            _players(server, tokens[1:]) as seated,
        ):
            siege.counts["before"] = _rest(server, seated)
            progress("attacks begin")
            seated.play()
            options = _attack(server, token=tokens[0], seconds=seconds, scale=scale, only=only)
            with _attacking(options) as attacking:
                time.sleep(min(SETTLED_SECONDS, seconds / 2))
                siege.counts["settled"] = counts(server)
                progress(f"settled: {siege.counts['settled']}")
                siege.attacks = json.loads(attacking.communicate(timeout=seconds + 60)[0])
            progress("attacks end")
            siege.players = seated.results()
            seated.pause()
            siege.counts["after"] = _recovered(server, siege.counts["before"])
        siege.seconds = time.monotonic() - began
    return siege


def counts(server: RunningServer) -> Counts:
    """The server's counts now."""
    answer = requests.get(f"{server.url}/counts", timeout=30)
    answer.raise_for_status()
    found: Counts = answer.json()
    return found


class _Players:
    """The players of tests/js/siege.mjs."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines = LineProcess(process)

    def join(self, **options: Any) -> None:
        assert self._tell(options) == "ready"

    def play(self) -> None:
        self._lines.send("play")

    def pause(self) -> None:
        """Wait until the spins in progress end. Raises AssertionError when they do not."""
        assert self._tell("pause") == "paused"

    def results(self) -> dict[str, Any]:
        """The results of the spins since the last call."""
        found: dict[str, Any] = self._tell("tell")
        return found

    def _tell(self, order: Any) -> Any:
        # A player whom the server refuses never joins.
        timer = threading.Timer(ANSWER_SECONDS, self._process.kill)
        timer.start()
        try:
            return self._lines.tell(order)
        finally:
            timer.cancel()


@contextmanager
def _players(server: RunningServer, tokens: list[str]) -> Iterator[_Players]:
    with subprocess.Popen(
        [NODE, "siege.mjs"], cwd=SCRIPTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            seated = _Players(process)
            seated.join(url=server.url, tokens=tokens, item=ITEM, amount=0.5, everyMs=SPIN_EVERY_MS)
            yield seated
        finally:
            process.kill()


@contextmanager
def _attacking(options: dict[str, Any]) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "bench.harness.attacks.attackers"]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(json.dumps(options))
            process.stdin.close()
            process.stdin = None
            yield process
        finally:
            process.kill()


def _attack(server: RunningServer, **options: Any) -> dict[str, Any]:
    address = urlsplit(server.url)
    return {"host": address.hostname, "port": address.port, "source": ATTACKER, **options}


def _env(directory: Path, database_url: str, port: int) -> dict[str, str]:
    return {
        "APP_ENV": "production",
        "DATABASE_URL": database_url,
        "INSTANCE_DIR": str(directory / "instance"),
        "SECRET_KEY": secrets.token_hex(32),
        "JWT_SECRET": secrets.token_hex(32),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "PORT": str(port),
    }


def _fill(env: dict[str, str], *, players: int, bets: int) -> list[str]:
    """Fill the database; returns the attacker's token and the players' tokens."""
    attackers = []
    with local_app(env) as app:
        services, now = app.extensions["services"], now_ms()
        items_importing.import_document(
            [{"appid": 730, "marketHashName": ITEM, "price": 1}], app_id=None, now=now
        )
        if bets:
            written = bulk_history.begin(seeds=services.seeds, now=now)
            bulk_history.extend(written, to=bets)
            attackers = written.players[:1]
        with writing():
            made = [
                users.create(username=f"player-{number}", seeds=services.seeds, now=now, balance=BALANCE)
                for number in range(players + 1 - len(attackers))
            ]
    issue = services.tokens.issue
    return [issue(platform_id=user.platform_id, session=0, now=now_ms()) for user in [*attackers, *made]]


def _rest(server: RunningServer, seated: _Players) -> Counts:
    """The server's counts after the players have played for a moment and paused."""
    seated.play()
    time.sleep(SPIN_EVERY_MS / 1000)
    seated.pause()
    seated.results()
    wait_until(lambda: not counts(server)["handshakes"], seconds=RECOVERY_SECONDS, step_seconds=1)
    return counts(server)


def _recovered(server: RunningServer, before: Counts) -> Counts:
    """The server's counts once none is higher than before, or after RECOVERY_SECONDS."""
    end = time.monotonic() + RECOVERY_SECONDS
    while True:
        now = counts(server)
        more = [name for name in before if name != "memory" and now[name] > before[name]]
        if not more or time.monotonic() > end:
            return now
        time.sleep(1)
