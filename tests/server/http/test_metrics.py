"""What the process counts for Prometheus."""

import re
import threading

import peewee
import pytest
from prometheus_client.parser import text_string_to_metric_families

from models.db.connection import reading
from tests.harness.servers import ROOT
from tests.harness.waiting import wait_until
from tests.support.battles import Battles

WITH_REDIS = "With `REDIS_URL` there are also:"
ROW = re.compile(r"^\| `(\w+)` \| (\w+) \|([^|]*)\| .+ \|$", re.MULTILINE)


@pytest.fixture
def samples(client):
    """Gives the samples of one counter: what each set of labels stands at."""

    def of(name):
        families = text_string_to_metric_families(client.get("/metrics").text)
        return {
            tuple(sorted(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
            if sample.name == name
        }

    return of


def labels(**values):
    return tuple(sorted(values.items()))


def test_answers_are_counted_by_method_route_and_status(client, samples):
    client.get("/healthz")
    client.get("/healthz?again=1")
    client.head("/healthz")

    counted = samples("http_requests_total")

    assert counted[labels(method="GET", route="/healthz", status="200")] == 2
    assert counted[labels(method="HEAD", route="/healthz", status="200")] == 1
    assert samples("http_request_seconds_count")[labels(route="/healthz")] == 3


def test_unknown_paths_methods_and_bets_count_as_one_each(client, player, samples):
    for number in range(5):
        client.get(f"/no-such-path/{number}")
        client.get(f"/upgrader/bets/{number}", headers=player.headers)
        client.open("/healthz", method=f"BREW{number}")

    counted = samples("http_requests_total")

    assert counted[labels(method="GET", route="unknown", status="404")] == 5
    assert counted[labels(method="GET", route="/upgrader/bets/<int:nonce>", status="404")] == 5
    assert counted[labels(method="other", route="unknown", status="405")] == 5


def test_spins_are_counted_by_outcome(connect, player, add_item, samples):
    item = add_item(price=10)
    socket = connect(player)

    answers = [socket.spin({"amount": 1, "item": item}) for _ in range(3)]
    socket.spin({"amount": 1, "item": "No such item"})

    counted = samples("upgrader_spins_total")
    won = sum(answer["result"]["success"] for answer in answers)
    assert counted.get(labels(outcome="won"), 0) == won
    assert counted.get(labels(outcome="lost"), 0) == 3 - won
    assert counted[labels(outcome="Item not found")] == 1


def test_every_metric_is_documented_with_its_type_and_labels(app, client):
    rows = ROW.findall((ROOT / "docs" / "metrics.md").read_text().partition(WITH_REDIS)[0])
    documented = {name: (kind, re.findall(r"`(\w+)`", names)) for name, kind, names in rows}

    served = dict(re.findall(r"^# TYPE (\w+) (\w+)$", client.get("/metrics").text, re.MULTILINE))

    registry = app.extensions["metrics"].registry
    label_names = {
        name: list(getattr(collector, "_labelnames", ()))
        for name, collector in registry._names_to_collectors.items()
    }
    assert documented == {
        name: (kind, label_names.get(name, []))
        for name, kind in served.items()
        if not name.endswith("_created")
    }


def test_wagers_and_payouts_of_settled_bets_are_summed(connect, player, add_item, samples):
    item = add_item(price=10)
    socket = connect(player)

    answers = [socket.spin({"amount": 4, "item": item, "requestId": request}) for request in "abca"]

    upgrader = labels(game="upgrader")
    paid = sum(answer["result"]["amount"] for answer in answers[:3])
    assert samples("bets_wagered_coins_total")[upgrader] == 12
    assert samples("bets_paid_coins_total")[upgrader] == paid
    # A chance of 38% of 10 coins, three times.
    assert samples("bets_expected_coins_total")[upgrader] == pytest.approx(11.4)
    assert samples("bets_variance_total")[upgrader] == pytest.approx(3 * 0.38 * 0.62 * 100)


def test_a_settled_battle_counts_its_players_seats(app, new_player, samples):
    battle = Battles(app).play(new_player("alice"), None, new_player("bob"))

    of_battles = labels(game="battle")
    assert samples("bets_wagered_coins_total")[of_battles] == 2 * battle.cost_cents / 100
    assert samples("bets_expected_coins_total")[of_battles] == pytest.approx(2 * 4.9)


def test_connections_in_use_and_waiting_callers_are_counted(samples):
    names = ("database_pool_size", "database_pool_in_use", "database_pool_waiting")
    before = [samples(name)[()] for name in names]
    size = int(before[0]) or 20
    release, held = threading.Event(), threading.Semaphore(0)

    def hold():
        with reading():
            held.release()
            release.wait(30)

    tasks = [threading.Thread(target=hold) for _ in range(size + 2)]
    for task in tasks:
        task.start()
    for _ in range(size):
        assert held.acquire(timeout=10)
    wait_until(lambda: samples("database_pool_in_use")[()] + samples("database_pool_waiting")[()] == size + 2)
    during = [samples(name)[()] for name in names]
    release.set()
    for task in tasks:
        task.join()

    is_limited = before[0] > 0
    assert during == ([20, 20, 2] if is_limited else [0, 22, 0])
    assert [samples(name)[()] for name in names] == before == [20 if is_limited else 0, 0, 0]


def test_a_proof_that_cannot_be_sent_counts_as_overdue(app, connect, player, add_item, samples, monkeypatch):
    def fail(_holders):
        raise peewee.OperationalError

    socket = connect(player)
    with monkeypatch.context() as failing:
        failing.setattr(app.extensions["services"].proofs, "claim", fail)
        socket.spin({"amount": 1, "item": add_item(price=10)})
        wait_until(lambda: samples("proofs_overdue")[()] == 1)
        assert samples("proofs_scheduled")[()] == 0

    socket.expect("upgrader:proof")
    wait_until(lambda: samples("proofs_overdue")[()] == 0)


def test_a_proof_is_counted_as_unconfirmed_until_its_client_answers_a_ping(
    app, connect, player, add_item, samples
):
    app.extensions["realtime"].server.eio.ping_interval = 0.05
    socket = connect(player)
    socket.spin({"amount": 1, "item": add_item(price=10)})
    socket.expect("upgrader:proof")
    before = samples("proofs_unconfirmed")[()]

    assert before == 1
    wait_until(lambda: socket.transport.receive_any() and samples("proofs_unconfirmed")[()] == 0)


def test_the_lag_of_the_event_loop_is_measured(server, samples):
    wait_until(lambda: samples("event_loop_lag_seconds_count")[()] >= 1)
