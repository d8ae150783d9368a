"""A promoted replica, which lacks the last changes of the primary and begins a new timeline."""

import pytest

from bench.harness.stoppable_postgres import stoppable_postgres

pytestmark = pytest.mark.process


@pytest.fixture
def stoppable():
    with stoppable_postgres() as server:
        yield server


@pytest.fixture
def database_url(stoppable):
    with stoppable.fresh() as url:
        yield url


@pytest.fixture
def replica(stoppable):
    """Makes the replica, at the moment at which it begins to lag."""
    return stoppable.replica


def test_a_promoted_replica_that_lacks_a_revealed_bet_is_recognised(
    serve, join, spin_with, replica, database_url
):
    with serve() as server:
        socket, announced = join(server)
        with replica() as lagging:
            spin_with(socket)
            socket.expect("upgrader:proof")
            socket.close()
            server.stop()

            with serve(DATABASE_URL=lagging.promote(database_url)) as successor:
                _, again = join(successor)

    assert again["nonce"] == announced["nonce"]
    assert again["serverSeedCommitment"] != announced["serverSeedCommitment"]


def test_a_promoted_replica_is_recognised_although_no_seed_was_revealed_and_the_server_was_killed(
    serve, join, spin_with, replica, database_url
):
    with serve(UPGRADER_PROOF_DELAY="600") as server:
        socket, announced = join(server)
        with replica() as lagging:
            spin_with(socket)
            server.kill()

            with serve(DATABASE_URL=lagging.promote(database_url)) as successor:
                _, again = join(successor)

    assert again["nonce"] == announced["nonce"]
    assert again["serverSeedCommitment"] != announced["serverSeedCommitment"]
