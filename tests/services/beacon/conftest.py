"""An app whose beacons come from relays of the tests, on a clock of the test, and battles that wait."""

from contextlib import ExitStack

import pytest

from services.beacon.polling import RelayPolling
from tests.harness.relays import Network, fake_relay
from tests.harness.spins import Clock

ROUND = 1_000


@pytest.fixture
def network():
    return Network()


@pytest.fixture
def clock(network):
    """Half a second after the time of ``ROUND``."""
    return Clock(network.chain.time_ms(ROUND) + 500)


@pytest.fixture
def relays(network):
    """Two relays."""
    with ExitStack() as stack:
        yield [stack.enter_context(fake_relay(network)) for _ in range(2)]


@pytest.fixture
def relay(relays):
    return relays[0]


@pytest.fixture
def settings(relays, network):
    return {
        "BEACON_URLS": ",".join(relay.url for relay in relays),
        "BEACON_CHAIN_HASH": network.chain.hash,
    }


@pytest.fixture
def beacons(app, network):
    """Those of the app. The network is known."""
    made = app.extensions["services"].beacons
    made._chain = network.chain
    return made


@pytest.fixture
def polling(beacons, clock):
    """The polling of the first relay, while beacons are wanted."""
    beacons.want()
    return RelayPolling(beacons, beacons.relays[0], clock=clock)
