"""An app whose beacons come from relays of the tests, on a clock of the test, and battles that wait."""

import secrets
from contextlib import ExitStack

import pytest

from models.battles import Battle
from models.db.connection import writing
from models.log import LogEntry
from services.beacon.polling import RelayPolling
from tests.harness.players import create_player
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


def add_battle(app, *, state="open", created_at_ms, locked_at_ms=None, round_=None):
    """A row of a battle, without seats; with a round it is locked."""
    player = create_player(app)
    with writing():
        entry = LogEntry.create(text="{}") if round_ else None
        return Battle.create(
            public_id=secrets.token_urlsafe(16),
            state="locked" if round_ else state,
            version=1,
            mode="normal",
            teams="1v1",
            is_crazy=False,
            is_terminal=False,
            is_players_only=False,
            is_private=False,
            cost_cents=100,
            counted_edge_ppm=50_000,
            creator=player.id,
            commitment=secrets.token_hex(32),
            encrypted_server_seed="",
            created_at_ms=created_at_ms,
            locked_at_ms=(locked_at_ms or created_at_ms) if round_ else None,
            round=round_,
            lock_entry=entry,
        )


def end_battles():
    """Take all battles away."""
    with writing():
        Battle.delete().execute()
