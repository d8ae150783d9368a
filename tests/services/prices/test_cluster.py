"""Prices and the catalogue at three production processes, of which one stands still or dies in its work."""

import os
import signal
from contextlib import closing
from pathlib import Path

import pytest
import requests

from bench.harness.cluster import cluster
from bench.harness.players import create_player, import_case, import_prices
from bench.harness.price_sources import feed, price_server
from bench.harness.sockets import Socket
from bench.harness.waiting import wait_until
from models.db.connection import reading
from models.items import Item
from services.maintenance import ledger_audit
from tests.support.apps import environment, fresh_app

pytestmark = [
    pytest.mark.redis,
    pytest.mark.thorough,
    pytest.mark.parametrize("kind", ["postgresql"], scope="module"),
]

NAMES = [f"Item {number:03}" for number in range(50)]
"""Three slices of a refresh."""


@pytest.fixture(scope="module")
def source():
    with price_server() as server:
        server.answer = feed(dict.fromkeys(NAMES, 100))
        yield server


@pytest.fixture(scope="module")
def app(kind, postgres, source, tmp_path_factory):
    """An app of the test's own process, on the database of the others."""
    with fresh_app(postgres, tmp_path_factory.mktemp("app"), PRICE_FEED_URL=source.url) as app:
        import_prices(dict.fromkeys(NAMES, 1))
        import_case("Case", {NAMES[0]: 50, NAMES[-1]: 50})
        yield app


@pytest.fixture(scope="module")
def started(app, source, redis, tmp_path_factory):
    directory = tmp_path_factory.mktemp("cluster")
    env = environment(app.extensions["services"].settings.database_url, directory) | {
        "REDIS_URL": redis.url,
        "PRICE_FEED_URL": source.url,
        "CATALOGUE_TTL": "1",
    }
    with cluster(env, directory, target="tests.support.changed_apps:short_leases()") as running:
        yield running


@pytest.fixture
def processes(started):
    """Three running processes, of which one leads the refresh."""
    for process in started.processes:
        if process.running is None:
            process.start()
    wait_until(lambda: sorted(map(leads, started.processes)) == [False, False, True])
    return started.processes


def leads(process):
    return "price_leader 1.0" in requests.get(f"{process.running.url}/metrics", timeout=10).text


def shown(process):
    """The upgrader's items as the process shows them: the prices in dollars, the ETag and the bytes."""
    response = requests.get(f"{process.running.url}/upgrader/items", timeout=10)
    prices = frozenset(item["price"] for item in response.json() if item["marketHashName"] in NAMES)
    return prices, response.headers["ETag"], response.content


@reading()
def stored_prices():
    """The different prices of the items, in cents."""
    return set(Item.select(Item.price_cents).where(Item.market_hash_name.in_(NAMES)).scalars())


@pytest.fixture
def refresh(app, source):
    """Runs the command when the feed says this price, in cents."""

    def run(price):
        source.answer = feed(dict.fromkeys(NAMES, price))
        result = app.test_cli_runner().invoke(args=["prices", "refresh"])
        assert result.exit_code == 0, result.output

    return run


@pytest.fixture
def stand_still(processes, source):
    """Stops the leader after the first slice of a refresh to this price; the process, and its worker's id."""
    file = Path(processes[0].env["INSTANCE_DIR"]) / "stand-still"

    def stop(price):
        file.write_text("")
        source.answer = feed(dict.fromkeys(NAMES, price))
        # Makes a refresh due at once.
        import_prices({f"New {price}": None})
        wait_until(file.read_text)
        worker = int(file.read_text())
        parent = int(Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1])
        return next(each for each in processes if each.running.process.pid == parent), worker

    yield stop
    file.unlink(missing_ok=True)


def test_a_spin_pays_the_price_that_its_process_shows(processes, refresh, app):
    refresh(120)
    wait_until(lambda: [shown(each)[0] for each in processes] == [{"$1.20"}] * 3)
    player = create_player(app)
    answers = []

    for each in processes:
        with closing(Socket(each.running.url, auth={"token": player.token})) as socket:
            spin = {"amount": 0.5, "item": NAMES[0]}
            answers.append([socket.spin(spin | {"price": price}).get("error") for price in (1.10, 1.20)])

    assert answers == [["Item price has changed", None]] * 3


def test_another_leader_finishes_the_refresh_of_one_that_was_killed(processes, stand_still, source):
    process, _ = stand_still(150)
    half = stored_prices()

    process.kill()

    wait_until(lambda: stored_prices() == {150})
    assert len(half) == 2
    assert ledger_audit.audit().mismatches == []


def test_a_leader_that_stood_still_writes_nothing_any_more(processes, stand_still, source):
    process, worker = stand_still(200)
    source.answer = feed(dict.fromkeys(NAMES, 300))
    wait_until(lambda: stored_prices() == {300})

    os.kill(worker, signal.SIGCONT)

    taken_over = "another process has taken over the price refresh"
    wait_until(lambda: taken_over in process.running.log.read_text() + process.running.output.read_text())
    assert stored_prices() == {300}
