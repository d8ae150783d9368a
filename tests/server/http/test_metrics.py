"""What the process counts for Prometheus."""

import pytest
from prometheus_client.parser import text_string_to_metric_families


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


def test_metrics_are_prometheus_text(client):
    answer = client.get("/metrics")

    assert answer.status_code == 200
    assert answer.content_type.startswith("text/plain; version=")
    assert "# TYPE http_requests_total counter" in answer.text


def test_answers_are_counted_by_method_route_and_status(client, samples):
    client.get("/healthz")
    client.get("/healthz?again=1")
    client.head("/healthz")

    counted = samples("http_requests_total")

    assert counted[labels(method="GET", route="/healthz", status="200")] == 2
    assert counted[labels(method="HEAD", route="/healthz", status="200")] == 1


def test_the_duration_of_every_request_is_measured(client, samples):
    client.get("/upgrader/rules")

    assert samples("http_request_seconds_count")[labels(route="/upgrader/rules")] == 1


def test_unknown_paths_are_counted_as_one_route(client, samples):
    for number in range(5):
        client.get(f"/no-such-path/{number}")

    assert samples("http_requests_total")[labels(method="GET", route="unknown", status="404")] == 5


def test_the_bets_of_all_players_are_counted_as_one_route(client, player, samples):
    client.get("/upgrader/bets/1", headers=player.headers)
    client.get("/upgrader/bets/2", headers=player.headers)

    counted = samples("http_requests_total")

    assert counted[labels(method="GET", route="/upgrader/bets/<int:nonce>", status="404")] == 2


def test_unknown_methods_are_counted_as_one(client, samples):
    for number in range(5):
        client.open("/healthz", method=f"BREW{number}")

    counted = samples("http_requests_total")

    assert len([key for key in counted if ("status", "405") in key]) == 1


def test_a_failed_request_is_counted_once(client, fail_at, samples):
    fail_at("/probe")

    client.get("/probe")

    assert samples("http_requests_total")[labels(method="GET", route="/probe", status="500")] == 1


def test_open_sockets_are_counted(connect, player, samples):
    before = samples("sockets_open")[()]

    for caller in (player, None):
        connect(caller).expect("live-bets")

    assert (before, samples("sockets_open")[()]) == (0, 2)


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
