"""A promoted replica, which lacks the last changes of the primary and begins a new timeline."""

from functools import partial

import pytest

from bench.harness.durable_postgres import durable_postgres
from tests.support.replica import replica_of

pytestmark = [pytest.mark.process, pytest.mark.thorough]


@pytest.fixture
def stoppable():
    with durable_postgres() as server:
        yield server


@pytest.fixture
def database_url(stoppable):
    with stoppable.fresh() as url:
        yield url


@pytest.fixture
def replica(stoppable):
    """Makes the replica, at the moment at which it begins to lag."""
    return partial(replica_of, stoppable)


def spin_and_stop(server, socket, spin_with):
    """Stop the server after the seed of the spin was revealed."""
    spin_with(socket)
    socket.expect("upgrader:proof")
    socket.close()
    server.stop()


def spin_and_kill(server, socket, spin_with):
    """Kill the server before the seed of the spin is revealed."""
    spin_with(socket)
    server.kill()


@pytest.mark.security("Restored database")
@pytest.mark.regulation("(d) Non-repeatability")
@pytest.mark.parametrize(("play", "delay"), [(spin_and_stop, "0.2"), (spin_and_kill, "600")])
def test_a_promoted_replica_that_lacks_a_bet_is_recognised(
    play, delay, serve, join, spin_with, replica, database_url
):
    with serve(UPGRADER_PROOF_DELAY=delay) as server:
        socket, announced = join(server)
        with replica() as lagging:
            play(server, socket, spin_with)

            with serve(DATABASE_URL=lagging.promote(database_url)) as successor:
                _, again = join(successor)

    assert again["nonce"] == announced["nonce"]
    assert again["serverSeedCommitment"] != announced["serverSeedCommitment"]
