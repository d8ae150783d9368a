"""flask check: what it says about the relays of beacons, their network and the clock."""

from contextlib import ExitStack

import pytest

from services.beacon import checks
from services.beacon.checks import NOT_QUICKNET
from tests.harness.relays import Network, fake_relay
from tests.harness.spins import Clock

ROUND = 1_000


@pytest.fixture
def network():
    return Network()


@pytest.fixture
def clock(network):
    return Clock(network.chain.time_ms(ROUND) + 500)


@pytest.fixture
def relays(network):
    with ExitStack() as stack:
        started = [stack.enter_context(fake_relay(network)) for _ in range(2)]
        for relay in started:
            relay.publish(ROUND)
        yield started


@pytest.fixture
def check(make_app, relays, network, clock):
    """Runs the command with these relays; its exit code and the lines on standard error."""

    def run(**settings):
        urls = ",".join(relay.url for relay in relays)
        defaults = {"BEACON_URLS": urls, "BEACON_CHAIN_HASH": relays[0].network.chain.hash}
        app = make_app(clock=clock, **defaults | settings)
        result = app.test_cli_runner().invoke(args=["check"])
        return result.exit_code, result.stderr.splitlines()

    return run


@pytest.fixture
def names(relays):
    return [relay.url.removeprefix("http://") for relay in relays]


def test_another_network_than_quicknet_is_a_warning(check):
    assert check() == (0, [f"warning: {NOT_QUICKNET}"])


def test_relays_of_the_public_network_that_work_are_no_warning(check, relays, network, monkeypatch):
    """With the network of the test in the place of the public one."""
    monkeypatch.setattr(checks, "QUICKNET", network.chain)

    assert check() == (0, [])


def test_a_relay_that_does_not_answer_is_a_warning(check, relays, names):
    relays[0].answer = lambda _: b"not JSON"

    assert check() == (
        0,
        [f"warning: BEACON_URLS: {names[0]}: the relay's answer is not JSON", f"warning: {NOT_QUICKNET}"],
    )


def test_a_relay_that_forges_beacons_is_a_problem(check, relays, names, network):
    relays[1].answer = lambda _: {"round": ROUND, "signature": network.sign(ROUND + 1)}

    code, lines = check()

    assert code == 1
    assert lines[0] == (f"BEACON_URLS: {names[1]} forges beacons: the signature is not that of the round")


def test_a_warning_says_that_no_relay_gives_beacons(check, relays):
    for relay in relays:
        relay.answer = lambda _: {}

    code, lines = check()

    assert code == 0
    assert "warning: BEACON_URLS: no relay gives beacons, so no battle can be locked" in lines


def test_relays_of_another_network_than_the_hash_says_are_a_warning(check, names):
    code, lines = check(BEACON_CHAIN_HASH="ab" * 32)

    assert code == 0
    assert lines[:2] == [
        f"warning: BEACON_URLS: {name}: the relay does not describe this network" for name in names
    ]


@pytest.mark.parametrize(
    ("ahead_ms", "line"),
    [
        (-2_000, "the clock is slow by 1.5 s or more: the newest beacon is ahead of it"),
        (60_000, "the newest beacon is 60.5 s old: the clock is fast, or the network is late"),
    ],
)
def test_a_clock_that_does_not_fit_the_newest_beacon_is_a_warning(check, clock, ahead_ms, line):
    clock.advance(ms=ahead_ms)

    assert check() == (0, [f"warning: {NOT_QUICKNET}", f"warning: {line}"])


def test_a_network_that_is_too_slow_for_battles_is_a_problem(check, relays, clock):
    slow = Network(period=30)
    for relay in relays:
        relay.network = slow
    clock.now = slow.chain.time_ms(ROUND)

    code, lines = check()

    assert (code, lines[0]) == (1, "BEACON_CHAIN_HASH: a round each 30 s is too slow for battles")
