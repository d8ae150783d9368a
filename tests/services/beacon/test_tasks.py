"""The tasks of a running server: they poll all relays while battles wait, and count the answers."""

import threading

import pytest
from prometheus_client.parser import text_string_to_metric_families

from services.shared.signals import Signal
from tests.harness.servers import threaded_server
from tests.harness.waiting import wait_until
from tests.services.beacon.conftest import ROUND
from tests.support.battle_rows import add_battle


@pytest.fixture
def samples(client):
    """The samples of a metric, by the values of their labels in the order of their names."""

    def of(name):
        families = text_string_to_metric_families(client.get("/metrics").text)
        return {
            tuple(value for _, value in sorted(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
            if sample.name == name
        }

    return of


def test_a_relay_that_does_not_answer_delays_no_other(app, relays, clock, beacons, request):
    ended = threading.Event()
    relays[0].answer = lambda _: ended.wait(20)
    relays[1].publish(ROUND)
    add_battle(app, created_at_ms=clock.now)

    request.getfixturevalue("server")

    wait_until(lambda: beacons.newest() is not None)
    ended.set()
    assert beacons.is_fresh(clock.now)


def test_beacons_are_wanted_at_once_when_another_process_opens_a_battle(app, beacons):
    assert not beacons.is_wanted()

    for handle in app.extensions["services"].signals._handlers[Signal.BATTLES]:
        handle([1])

    assert beacons.is_wanted()


def test_answers_are_counted_by_relay_and_outcome(relays, network, beacons, samples):
    relays[0].publish(ROUND)
    relays[1].answer = lambda _: {"round": ROUND, "signature": network.sign(ROUND + 1)}
    beacons.ask_all()

    names = [relay.name for relay in beacons.relays]
    counted = {labels: value for labels, value in samples("beacon_answers_total").items() if value}
    assert counted == {("verified", names[0]): 1, ("forged", names[1]): 1}
    assert samples("beacon_round") == {(): ROUND}
    assert samples("beacon_delay_seconds") == {(): 0.5}


def test_the_metrics_say_whether_battles_are_paused(beacons, relay, clock, samples):
    assert samples("battles_paused") == {(): 0}
    beacons.want()
    assert samples("battles_paused") == {(): 1}
    relay.publish(ROUND)
    beacons.ask_all()
    assert samples("battles_paused") == {(): 0}
    clock.advance(seconds=6)
    assert samples("battles_paused") == {(): 1}


def test_a_server_gets_each_round_of_the_demonstration_while_a_battle_is_open(make_app):
    app = make_app(BEACON_URLS="demo")
    services = app.extensions["services"]
    with threaded_server(app):
        add_battle(app, created_at_ms=services.clock())
        wait_until(lambda: services.beacons.newest() is not None)
        first = services.beacons.newest().beacon.round

        wait_until(lambda: services.beacons.newest().beacon.round > first)

        assert services.beacons.is_fresh(services.clock())
