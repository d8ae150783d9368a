"""Which beacons count, when they have arrived, and whether they are fresh."""

import pytest

from models.beacons import StoredBeacon
from models.db.connection import reading, writing
from services.beacon.beacons import LINGER_MS, Beacons, ChainUnknown, Outcome
from services.beacon.chain import QUICKNET, BadBeacon
from services.shared.clock import DAY_MS, MINUTE_MS
from tests.harness.relays import Network
from tests.services.beacon.conftest import ROUND
from tests.support.battle_rows import add_battle, end_battles


@pytest.fixture
def other(app, network, clock):
    """The beacons of another process on the same database."""
    made = Beacons(app.extensions["services"].settings, clock=clock)
    made._chain = network.chain
    return made


@reading()
def rows():
    query = StoredBeacon.select().order_by(StoredBeacon.round)
    return [(row.round, row.arrived_at_ms, row.is_by_hand) for row in query]


@pytest.mark.parametrize(
    ("arrives_ms", "is_fresh"), [(-2_000, False), (-1, False), (0, True), (3_000, True), (3_001, False)]
)
def test_a_beacon_is_fresh_if_it_first_came_within_three_seconds_of_its_time(
    beacons, network, clock, arrives_ms, is_fresh
):
    clock.now = network.chain.time_ms(ROUND) + arrives_ms
    beacons.keep(ROUND, network.sign(ROUND))

    assert beacons.is_fresh(network.chain.time_ms(ROUND) + 3_500) is is_fresh


@pytest.mark.parametrize(("age_ms", "is_fresh"), [(-1, False), (500, True), (6_000, True), (6_001, False)])
def test_a_beacon_is_fresh_for_six_seconds(beacons, network, age_ms, is_fresh):
    beacons.keep(ROUND, network.sign(ROUND))

    assert beacons.is_fresh(network.chain.time_ms(ROUND) + age_ms) is is_fresh


@pytest.mark.parametrize("ahead_ms", [-2_000, 3_000])
def test_nothing_is_fresh_by_a_clock_that_is_wrong(beacons, relay, network, clock, ahead_ms):
    """The relay has each round 0.2 s after its time."""
    for round_ in range(ROUND, ROUND + 3):
        clock.now = network.chain.time_ms(round_) + 200 + ahead_ms
        relay.publish(round_)
        assert beacons.ask(beacons.relays[0]) is Outcome.VERIFIED

        assert not beacons.is_fresh(clock.now + 100)


def test_nothing_is_fresh_without_beacons(beacons, clock):
    assert not beacons.is_fresh(clock.now)


def test_a_beacon_that_comes_again_later_keeps_its_first_arrival(beacons, relays, network, clock):
    beacons.keep(ROUND, network.sign(ROUND))
    clock.advance(ms=3_000)
    relays[1].publish(ROUND)

    assert beacons.ask(beacons.relays[1]) is Outcome.VERIFIED
    assert beacons.newest().at_ms == network.chain.time_ms(ROUND) + 500


@pytest.mark.both_databases("models/beacons.py")
def test_the_first_arrival_of_all_processes_counts(beacons, other, network, clock):
    first_at = clock.now
    beacons.keep(ROUND, network.sign(ROUND))
    clock.advance(ms=4_000)

    other.keep(ROUND, network.sign(ROUND), by_hand=True)

    assert rows() == [(ROUND, first_at, False)]
    assert other.newest().at_ms == first_at
    assert other.is_fresh(clock.now)


@pytest.mark.both_databases("models/beacons.py")
def test_a_beacon_of_another_network_in_the_table_is_not_believed_and_is_replaced(beacons, network, clock):
    foreign = Network(secret=8).sign(ROUND)
    with writing():
        StoredBeacon.create(
            round=ROUND, signature=foreign, randomness="00" * 32, arrived_at_ms=1, is_by_hand=False
        )

    assert beacons.of_round(ROUND) is None
    beacons.keep(ROUND, network.sign(ROUND))
    assert beacons.of_round(ROUND).signature == network.sign(ROUND)
    assert rows() == [(ROUND, clock.now, False)]


def test_the_randomness_in_the_table_is_not_believed(beacons, network):
    with writing():
        StoredBeacon.create(
            round=ROUND,
            signature=network.sign(ROUND),
            randomness="00" * 32,
            arrived_at_ms=1,
            is_by_hand=False,
        )

    assert beacons.of_round(ROUND).randomness == network.chain.verify(ROUND, network.sign(ROUND))


def test_a_forged_beacon_by_hand_is_refused_and_not_stored(beacons, network):
    with pytest.raises(BadBeacon):
        beacons.keep(ROUND, network.sign(ROUND + 1), by_hand=True)

    assert (rows(), beacons.of_round(ROUND)) == ([], None)


def test_an_arrival_is_announced_once_when_it_is_stored(beacons, network):
    seen = []
    beacons.on_arrival.append(lambda beacon: seen.append((beacon.round, len(rows()))))

    for _ in range(2):
        beacons.keep(ROUND, network.sign(ROUND))

    assert seen == [(ROUND, 1)]


@pytest.mark.both_databases("models/beacons.py")
def test_beacons_are_wanted_while_battles_are_under_way_and_some_minutes_more(app, beacons, clock):
    beacons.look_up()
    assert not beacons.is_wanted()
    begun = []
    beacons.on_wanted.append(lambda: begun.append(clock.now))
    add_battle(app, created_at_ms=clock.now)
    for _ in range(2):
        beacons.look_up()
    assert (beacons.is_wanted(), begun) == (True, [clock.now])
    end_battles()

    clock.advance(ms=LINGER_MS - 1)
    beacons.look_up()
    assert beacons.is_wanted()
    clock.advance(ms=1)
    beacons.look_up()
    assert not beacons.is_wanted()


@pytest.mark.both_databases("models/beacons.py")
def test_what_locked_battles_wait_for_is_taken_over_from_other_processes(app, beacons, other, network, clock):
    for round_ in (ROUND - 100, ROUND - 50, ROUND - 50):
        add_battle(app, created_at_ms=clock.now, round_=round_)
    beacons.look_up()
    assert beacons.missing == {ROUND - 100, ROUND - 50}
    seen = []
    beacons.on_arrival.append(seen.append)

    kept = [other.keep(round_, network.sign(round_), by_hand=True) for round_ in (ROUND - 50,)]
    clock.advance(minutes=1)
    beacons.look_up()

    assert seen == kept
    assert beacons.missing == {ROUND - 100}


def test_the_newest_round_of_another_process_makes_this_one_fresh(app, beacons, other, network, clock):
    other.keep(ROUND, network.sign(ROUND))
    add_battle(app, created_at_ms=clock.now)

    beacons.look_up()

    assert beacons.is_fresh(clock.now)


@pytest.mark.both_databases("models/beacons.py")
def test_after_a_day_beacons_are_deleted_that_no_locked_battle_needs(app, beacons, network, clock):
    add_battle(app, created_at_ms=clock.now, round_=ROUND)
    for round_ in (ROUND, ROUND + 1):
        beacons.keep(round_, network.sign(round_))
    clock.advance(ms=DAY_MS)
    beacons.keep(ROUND + 2, network.sign(ROUND + 2))
    clock.advance(ms=1)

    beacons.look_up()

    assert [round_ for round_, *_ in rows()] == [ROUND, ROUND + 2]


def test_the_network_answers_while_a_relay_has_given_a_beacon_within_a_minute(beacons, relay, network, clock):
    assert beacons.newest_answering() is None
    relay.publish(ROUND)
    beacons.ask_all()
    clock.advance(ms=MINUTE_MS - 1)
    assert beacons.newest_answering() == ROUND
    clock.advance(ms=1)
    assert beacons.newest_answering() is None
    beacons.keep(ROUND + 1, network.sign(ROUND + 1), by_hand=True)
    assert beacons.newest_answering() is None
    # Even an old beacon is an answer.
    beacons.ask_all()
    assert beacons.newest_answering() == ROUND + 1


def test_the_round_of_a_lock_is_the_first_one_six_seconds_later(beacons, network):
    locked_at = network.chain.time_ms(ROUND) - 6_000

    assert beacons.next_round_after_lock(locked_at) == ROUND
    assert beacons.next_round_after_lock(locked_at + 1) == ROUND + 1


def test_another_network_is_known_once_a_relay_describes_it(app, relay, network):
    beacons = app.extensions["services"].beacons
    with pytest.raises(ChainUnknown):
        _ = beacons.chain
    assert not beacons.is_fresh(0)
    relay.publish(ROUND)

    assert beacons.ask(beacons.relays[0]) is Outcome.VERIFIED

    assert beacons.info()["hash"] == network.chain.hash
    assert beacons.newest().beacon.round == ROUND


def test_a_relay_that_describes_another_network_counts_as_away(app, relay):
    beacons = app.extensions["services"].beacons
    relay.network = Network(secret=9)

    assert beacons.ask(beacons.relays[0]) is Outcome.FAILED
    assert not beacons.is_chain_known


@pytest.mark.settings(BEACON_CHAIN_HASH="")
def test_quicknet_is_known_without_a_relay(app):
    assert app.extensions["services"].beacons.chain == QUICKNET


@pytest.mark.settings(BEACON_URLS="", BEACON_CHAIN_HASH="")
def test_without_relays_there_are_no_beacons(app, clock):
    beacons = app.extensions["services"].beacons

    assert not beacons.is_on
    assert not beacons.is_fresh(clock.now)


@pytest.mark.settings(BEACON_URLS="demo")
def test_the_demonstration_has_fresh_beacons(app, clock):
    beacons = app.extensions["services"].beacons

    assert beacons.ask(beacons.relays[0]) is Outcome.VERIFIED

    assert (beacons.is_demo, beacons.is_fresh(clock.now)) == (True, True)
    assert beacons.info()["metadata"] == {"beaconID": "demo"}


def test_a_beacon_that_comes_after_the_stop_is_not_stored(beacons, relay):
    relay.publish(ROUND)
    beacons.stop()

    beacons.ask_all()

    assert (rows(), beacons.newest()) == ([], None)
