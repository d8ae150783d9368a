"""How long do a hundred battles of one round take to end, and what does a spin beside them wait?

    python -m bench.battle_ends
    python -m bench.battle_ends --battles 300 --rounds 3

A drand network of this command decides them, whose relay answers at the time of the round. The production
server locks the battles on one round. Prints, for each database and round of the network, the time from the
arrival of the beacon to the last end, and the median time of the spins of one player: in the seconds around
the arrival, and in as many seconds without battles.
"""

import statistics
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import click
import requests

from models.battles import Battle, State
from models.beacons import StoredBeacon
from models.db.connection import reading
from services.shared.clock import now_ms
from tests.harness.command_line import bench_command
from tests.harness.databases import bench_env
from tests.harness.local_app import local_app
from tests.harness.players import Player, create_players, import_case, import_prices
from tests.harness.relays import FakeRelay, Network, fake_relay
from tests.harness.servers import gunicorn, server_process
from tests.harness.sockets import Socket
from tests.harness.waiting import wait_until, within

PERIOD = 12
"""Seconds between two rounds: all battles of the six seconds in which a round is fresh have the next one."""
AROUND_SECONDS = 1.5
"""Spins are measured so long from the arrival of the beacon on."""
ITEM = "Item of 10"
BOX = {"cases": [{"case": "box", "count": 5}], "mode": "normal", "teams": "1v1", "price": 20}
SPIN = {"amount": 1, "item": ITEM}


class Spinner:
    """One player who spins without a pause, and when each spin was sent and answered."""

    def __init__(self, url: str, player: Player) -> None:
        self.times: list[tuple[float, float]] = []
        self._socket = Socket(url, auth={"token": player.token})
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def median_ms(self, since: float, until: float) -> float:
        """Of the spins that were sent in this time."""
        found = [(end - began) * 1_000 for began, end in self.times.copy() if since <= began < until]
        return statistics.median(found)

    def stop(self) -> None:
        self._ended.set()
        self._thread.join(10)
        self._socket.close()

    def _spin(self) -> None:
        while not self._ended.is_set():
            began = time.time()
            answer = self._socket.spin(SPIN)
            assert answer["status"], answer
            self.times.append((began, time.time()))


@bench_command(__doc__)
@click.option("--battles", default=100, help="locked on one round")
@click.option("--rounds", default=3, help="of the network, on each database")
def main(*, battles: int, rounds: int) -> None:
    for postgresql in (False, True):
        name = "PostgreSQL" if postgresql else "SQLite"
        for count, ended_ms, beside_ms, alone_ms in _measure(battles, rounds, postgresql=postgresql):
            click.echo(
                f"{name:<12}{count:>5} battles ended {ended_ms:>6,} ms after the beacon;"
                f" a spin {beside_ms:.1f} ms beside them, {alone_ms:.1f} ms alone"
            )


def _measure(battles: int, rounds: int, *, postgresql: bool) -> Iterator[tuple[int, int, float, float]]:
    network = Network(genesis=now_ms() // 1_000 - 10 * PERIOD, period=PERIOD)
    with fake_relay(network) as relay, _publishing(relay):
        settings = {"BEACON_URLS": relay.url, "BEACON_CHAIN_HASH": network.chain.hash}
        settings |= {"RATELIMIT_ENABLED": "0", "UPGRADER_PROOF_DELAY": "1"}
        with bench_env(postgresql=postgresql, **settings) as env, local_app(env) as app:
            import_prices({"Item of 2": 2, ITEM: 10})
            import_case("Box", {"Item of 2": 77.5, ITEM: 22.5})
            players = create_players(app, 41, coins=100_000)
            with server_process(gunicorn(), env, Path(env["INSTANCE_DIR"])) as server:
                spinner = Spinner(server.url, players[0])
                try:
                    for _ in range(rounds):
                        yield _one_round(server.url, relay, players[1:], battles, spinner)
                finally:
                    spinner.stop()


def _one_round(
    url: str, relay: FakeRelay, players: list[Player], battles: int, spinner: Spinner
) -> tuple[int, int, float, float]:
    with ThreadPoolExecutor(8) as threads:
        numbered = range(battles)
        # Five open battles a player at the most, so they are created and locked in turns.
        round_ = relay.newest
        opened = list(threads.map(lambda n: _create(url, players[n % len(players)]), numbered))
        wait_until(lambda: relay.newest > round_, seconds=2 * PERIOD)
        list(threads.map(lambda n: _join(url, players[(n + 1) % len(players)], opened[n]), numbered))
    time.sleep(3)
    alone_since = time.time()
    time.sleep(2 * AROUND_SECONDS)
    alone_ms = spinner.median_ms(alone_since, alone_since + 2 * AROUND_SECONDS)
    wait_until(_are_all_ended, seconds=2 * PERIOD, step_seconds=0.2)
    arrived_ms, ended_ms, count = _last_end()
    time.sleep(max(0.0, arrived_ms / 1_000 + AROUND_SECONDS - time.time()))
    since = arrived_ms / 1_000
    return count, ended_ms - arrived_ms, spinner.median_ms(since, since + AROUND_SECONDS), alone_ms


def _create(url: str, player: Player) -> dict[str, Any]:
    return _post(f"{url}/battles", player, BOX)


def _join(url: str, player: Player, battle: dict[str, Any]) -> dict[str, Any]:
    return _post(f"{url}/battles/{battle['id']}/join", player, {"seat": 1, "price": battle["cost"]})


def _post(url: str, player: Player, body: dict[str, Any]) -> dict[str, Any]:
    for _ in within(PERIOD):
        answer = requests.post(url, json=body, headers=player.headers, timeout=30)
        if answer.status_code != HTTPStatus.SERVICE_UNAVAILABLE:
            break
        # The server does not have the newest beacon yet.
        time.sleep(0.1)
    assert answer.ok, answer.text
    found: dict[str, Any] = answer.json()
    return found


@contextmanager
def _publishing(relay: FakeRelay) -> Iterator[None]:
    """Publish each round at its time."""
    chain, ended = relay.network.chain, threading.Event()

    def publish() -> None:
        while not ended.wait(0.005):
            round_ = chain.first_round_at(now_ms() + 1) - 1
            if round_ > relay.newest:
                relay.publish(round_)

    thread = threading.Thread(target=publish, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(10)


@reading()
def _are_all_ended() -> bool:
    return not Battle.select().where(Battle.state.in_([State.OPEN, State.LOCKED])).exists()


@reading()
def _last_end() -> tuple[int, int, int]:
    """When the newest beacon of a battle arrived, when the last of its battles ended, and their number.

    On a slow machine not all battles are locked on one round.
    """
    round_ = Battle.select(Battle.round).order_by(Battle.round.desc()).limit(1).scalar()
    ended = [battle.ended_at_ms for battle in Battle.select().where(Battle.round == round_)]
    return StoredBeacon.get_by_id(round_).arrived_at_ms, max(ended), len(ended)


if __name__ == "__main__":
    main()
