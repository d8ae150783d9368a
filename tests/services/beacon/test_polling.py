"""Which rounds a relay is asked for and when, and what becomes of relays that are late, away, or lie."""

import gzip
import json
import threading
from itertools import pairwise

import pytest
from werkzeug.wrappers import Response

from services.beacon import relays as relays_module
from services.beacon.beacons import Outcome
from services.beacon.polling import IDLE_SECONDS, RelayPolling
from tests.harness.waiting import wait_until
from tests.services.beacon.conftest import ROUND
from tests.support.battle_rows import add_battle


@pytest.fixture
def outcomes(beacons):
    """The outcomes of all questions so far."""
    seen = []
    beacons.on_answer.append(lambda _, outcome: seen.append(outcome))
    return seen


def test_a_relay_is_not_asked_unless_beacons_are_wanted(beacons, relay, clock):
    polling = RelayPolling(beacons, beacons.relays[0], clock=clock)

    assert polling.run() == IDLE_SECONDS
    assert relay.requests == []


def test_after_its_newest_round_a_relay_is_asked_for_the_next_at_once(beacons, polling, relay, clock):
    relay.publish(ROUND)

    assert polling.run() == 0
    relay.publish(ROUND + 1)
    clock.advance(seconds=3)
    assert polling.run() == 0

    assert relay.requests == ["latest", str(ROUND + 1)]
    assert beacons.newest().beacon.round == ROUND + 1
    assert beacons.is_fresh(clock.now)


def test_a_relay_that_holds_its_answer_back_shows_a_round_before_its_time_by_a_slow_clock(
    beacons, polling, relay, clock
):
    relay.publish(ROUND)
    polling.run()
    assert beacons.is_fresh(clock.now)
    relay.is_holding = True
    asking = threading.Thread(target=polling.run)
    asking.start()
    wait_until(lambda: len(relay.requests) == 2)

    relay.publish(ROUND + 1)

    asking.join(10)
    assert beacons.newest().at_ms < beacons.chain.time_ms(ROUND + 1)
    assert not beacons.is_fresh(clock.now)


@pytest.mark.parametrize(
    ("after_ms", "pause"), [(-2_500, 1.0), (-400, 0.4), (0, 0.1), (900, 0.1), (1_000, 1.0)]
)
def test_a_relay_without_the_round_is_asked_again_when_it_is_due(
    beacons, polling, relay, clock, after_ms, pause
):
    relay.publish(ROUND)
    polling.run()
    clock.now = beacons.chain.time_ms(ROUND + 1) + after_ms

    assert polling.run() == pause
    assert relay.requests[-1] == str(ROUND + 1)


def test_a_relay_is_asked_for_its_newest_when_the_next_round_is_long_overdue(beacons, polling, relay, clock):
    relay.publish(ROUND)
    polling.run()
    clock.advance(seconds=60)

    assert polling.run() == 1.0
    relay.publish(ROUND + 20)
    assert polling.run() == 0

    assert relay.requests == ["latest", "latest", "latest"]
    assert beacons.newest().beacon.round == ROUND + 20


def test_a_relay_that_fails_is_asked_less_and_less_often_until_it_answers(polling, relay, outcomes):
    relay.answer = lambda _: b"not JSON"

    assert [polling.run() for _ in range(6)] == [1, 2, 4, 8, 10, 10]

    relay.answer = None
    relay.publish(ROUND)
    assert polling.run() == 0
    relay.answer = lambda _: b"not JSON"
    assert polling.run() == 1
    assert outcomes == [*[Outcome.FAILED] * 6, Outcome.VERIFIED, Outcome.FAILED]


def good(network, round_):
    return {"round": round_ or ROUND, "signature": network.sign(round_ or ROUND)}


NASTY = {
    "an error": lambda network, round_: Response("down", 503),
    "an error with the beacon": lambda network, round_: Response(json.dumps(good(network, round_)), 418),
    "a huge body": lambda network, round_: good(network, round_) | {"more": "x" * 20_000},
    "a compressed huge body": lambda network, round_: Response(
        gzip.compress(b" " * 10_000_000), headers={"Content-Encoding": "gzip"}
    ),
    "a page": lambda network, round_: b"<html>",
    "another encoding": lambda network, round_: {"round": 1, "signature": ["a"]},
    "a redirect": lambda network, round_: Response("", 302, {"Location": "/elsewhere"}),
}
FORGERIES = {
    "another round": lambda network, round_: {"round": ROUND, "signature": network.sign(ROUND - 1)},
    "a random text": lambda network, round_: {"round": ROUND, "signature": "ab" * 48},
    "capitals": lambda network, round_: {"round": ROUND, "signature": network.sign(ROUND).upper()},
    "blanks": lambda network, round_: {"round": ROUND, "signature": f" {network.sign(ROUND)}"},
    "a later round": lambda network, round_: {"round": ROUND + 1, "signature": network.sign(ROUND)},
}


@pytest.mark.parametrize("answer", NASTY.values(), ids=NASTY)
def test_what_is_no_beacon_is_a_failure(beacons, polling, relay, network, outcomes, answer):
    relay.answer = lambda round_: answer(network, round_)

    polling.run()

    assert (outcomes, beacons.newest()) == ([Outcome.FAILED], None)


@pytest.mark.parametrize("answer", FORGERIES.values(), ids=FORGERIES)
@pytest.mark.security("Relays of beacons")
def test_a_forged_beacon_is_counted_and_the_other_relay_decides(
    beacons, polling, relays, network, clock, outcomes, answer
):
    relays[0].answer = lambda round_: answer(network, round_)
    relays[1].publish(ROUND)

    assert polling.run() == 1
    RelayPolling(beacons, beacons.relays[1], clock=clock).run()

    assert outcomes == [Outcome.FORGED, Outcome.VERIFIED]
    assert beacons.of_round(ROUND).signature == network.sign(ROUND)
    assert beacons.is_fresh(clock.now)


def test_a_relay_that_goes_on_after_a_forgery_counts_again(beacons, polling, relay, network, log_lines):
    relay.answer = lambda _: {"round": ROUND, "signature": "ab" * 48}
    for _ in range(2):
        polling.run()
    relay.answer = None
    relay.publish(ROUND)
    polling.run()

    name = beacons.relays[0].name
    lines = [line for line in log_lines() if line.get("event") == f"beacons:{name}"]
    assert [(line["level"], line["message"]) for line in lines] == [
        ("warning", "a forged beacon: the signature is not a point of the curve"),
        ("info", "the relay works"),
    ]


def test_a_relay_that_is_away_fails(beacons, polling, outcomes):
    beacons.relays[0].url = "http://127.0.0.1:1"

    assert polling.run() == 1
    assert outcomes == [Outcome.FAILED]


def test_a_relay_that_answers_byte_by_byte_fails_when_its_time_is_over(
    polling, relay, network, outcomes, monkeypatch
):
    monkeypatch.setattr(relays_module, "SECONDS", 0.3)
    ended = threading.Event()

    def drip(_round):
        def parts():
            for byte in json.dumps(good(network, ROUND)):
                yield byte
                if ended.wait(0.05):
                    return

        return Response(parts())

    relay.answer = drip
    polling.run()
    ended.set()

    assert outcomes == [Outcome.FAILED]


def test_missed_rounds_of_locked_battles_are_asked_for(app, beacons, polling, relay, clock):
    for round_ in (ROUND - 900, ROUND - 1, ROUND + 1):
        add_battle(app, created_at_ms=clock.now, round_=round_)
    beacons.look_up()
    relay.publish(ROUND)

    polling.run()

    assert relay.requests == [str(ROUND - 900), str(ROUND - 1), str(ROUND)]
    assert beacons.missing == {ROUND + 1}


def test_a_round_that_was_jumped_over_is_missed_although_it_is_new(app, beacons, polling, relay, clock):
    clock.now = beacons.chain.time_ms(ROUND)
    add_battle(app, created_at_ms=clock.now, round_=ROUND)
    beacons.look_up()
    relay.publish(ROUND + 1)

    for _ in range(2):
        polling.run()

    assert relay.requests == ["latest", str(ROUND), str(ROUND + 2)]


def test_a_round_that_no_relay_has_is_asked_for_with_longer_and_longer_pauses(
    app, beacons, polling, relay, network, clock
):
    add_battle(app, created_at_ms=clock.now, round_=ROUND)
    beacons.look_up()
    relay.publish(ROUND - 1)
    asked_at = []
    for second in range(4_500):
        clock.now = network.chain.time_ms(ROUND) + second * 1_000
        if polling._is_due(ROUND, clock.now):
            polling._ask_for_missed()
            asked_at.append(second)

    pauses = [later - earlier for earlier, later in pairwise(asked_at)]
    assert asked_at[:3] == [3, 4, 5]
    assert pauses == sorted(pauses)
    assert pauses[-1] == 60
    assert len(relay.requests) == len(asked_at) < 400


def test_a_missed_round_that_another_relay_gave_is_not_asked_for(
    app, beacons, polling, relay, network, clock
):
    add_battle(app, created_at_ms=clock.now, round_=ROUND - 10)
    beacons.look_up()
    beacons.keep(ROUND - 10, network.sign(ROUND - 10))
    relay.publish(ROUND)

    polling.run()

    assert relay.requests == ["latest"]
