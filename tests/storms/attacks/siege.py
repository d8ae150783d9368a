"""A production server under all attacks at once while players spin from other addresses."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests

from services.shared.clock import now_ms
from tests.harness import bulk_history
from tests.harness.databases import bench_env
from tests.harness.line_process import LineProcess, line_process
from tests.harness.local_app import local_app
from tests.harness.node import NODE, SCRIPTS
from tests.harness.players import create_players, import_prices, signed_in
from tests.harness.servers import ROOT, RunningServer, drawn_secrets, gunicorn, server_process
from tests.harness.waiting import wait_until

ATTACKER = "127.0.0.2"
ITEM = "Item of a siege"
COINS = 10_000_000
SPIN_EVERY_MS = 2_000
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

    @property
    def left(self) -> dict[str, str]:
        """The counts that are higher afterwards than before."""
        before, after = self.counts["before"], self.counts["after"]
        return {name: f"{after[name]} afterwards, {before[name]} before" for name in _grown(before, after)}

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
    *,
    postgresql: bool,
    seconds: float,
    players: int = 20,
    scale: int = 10,
    bets: int = 0,
    only: str = "",
    target: str = "tests.storms.attacks.counting_app:app",
) -> Siege:
    """Start a server and attack it for so many seconds.

    ``scale`` is how many of each attack run at a time, ``only`` a part of their names. With ``bets`` the
    database has so many, a tenth of them the attacker's. ``target`` is what gunicorn serves.
    """
    siege = Siege()
    with bench_env(postgresql=postgresql, APP_ENV="production", **drawn_secrets()) as env:
        tokens = _fill(env, players=players, bets=bets)
        with (
            server_process(gunicorn(target), env, Path(env["INSTANCE_DIR"])) as server,
            _players(server, tokens[1:]) as connected,
        ):
            siege.counts["before"] = _rest(server, connected)
            connected.send("play")
            with attacking(server.url, token=tokens[0], seconds=seconds, scale=scale, only=only) as attackers:
                time.sleep(min(SETTLED_SECONDS, seconds / 2))
                siege.counts["settled"] = counts(server)
                siege.attacks = attackers.answer(seconds=seconds + 60)
            siege.players = connected.ask("tell")
            assert connected.ask("pause") == "paused"
            siege.counts["after"] = _recovered(server, siege.counts["before"])
    return siege


@contextmanager
def attacking(url: str, *, token: str = "", **options: object) -> Iterator[LineProcess]:
    """Start the attackers (attackers.py) with these options, in a process of their own."""
    address = urlsplit(url)
    attacker = {"host": address.hostname, "port": address.port, "source": ATTACKER, "token": token}
    with line_process([sys.executable, "-m", "tests.storms.attacks.attackers"], cwd=ROOT) as process:
        process.send({"attacker": attacker, **options})
        yield process


def counts(server: RunningServer) -> Counts:
    """The server's counts now."""
    answer = requests.get(f"{server.url}/counts", timeout=30)
    answer.raise_for_status()
    found: Counts = answer.json()
    return found


@contextmanager
def _players(server: RunningServer, tokens: list[str]) -> Iterator[LineProcess]:
    """The players of tests/js/siege.mjs, who play and pause on command."""
    with line_process([NODE, "siege.mjs"], cwd=SCRIPTS) as connected:
        options = {"tokens": tokens, "item": ITEM, "amount": 0.5, "everyMs": SPIN_EVERY_MS}
        assert connected.ask({"url": server.url, **options}) == "ready"
        yield connected


def _fill(env: dict[str, str], *, players: int, bets: int) -> list[str]:
    """Fill the database; returns the attacker's token and the players' tokens."""
    with local_app(env) as app:
        import_prices({ITEM: 1})
        made = []
        if bets:
            written = bulk_history.begin(seeds=app.extensions["services"].seeds, now=now_ms())
            bulk_history.extend(written, to=bets)
            made.append(signed_in(app, written.players[0]))
        made += create_players(app, players + 1 - len(made), coins=COINS)
    return [player.token for player in made]


def _rest(server: RunningServer, connected: LineProcess) -> Counts:
    """The server's counts after the players have played for a moment and paused."""
    connected.send("play")
    time.sleep(SPIN_EVERY_MS / 1000)
    assert connected.ask("pause") == "paused"
    connected.ask("tell")
    wait_until(lambda: not counts(server)["handshakes"], seconds=RECOVERY_SECONDS, step_seconds=1)
    return counts(server)


def _recovered(server: RunningServer, before: Counts) -> Counts:
    """The server's counts once none is higher than before, or after RECOVERY_SECONDS."""
    with suppress(TimeoutError):
        wait_until(lambda: not _grown(before, counts(server)), seconds=RECOVERY_SECONDS, step_seconds=1)
    return counts(server)


def _grown(before: Counts, after: Counts) -> list[str]:
    return [name for name in before if name != "memory" and after[name] > before[name]]
