"""A server seed that may have been revealed before a restore is never announced again."""

from pathlib import Path

import pytest

from models.db.connection import database
from tests.harness.waiting import wait_until
from tests.services.bets.conftest import percent_of
from tests.support import backups
from tests.support.markers import sqlite_only

pytestmark = pytest.mark.process

HOUR = "600"
SAME_SEED = "chosen-offline"
PAUSED = {"status": False, "error": "Bets are paused"}


@pytest.fixture
def revealed(serve, backup, join, spin_with):
    """Backs up, plays a spin and stops: commitment and proof of a bet that the backup does not hold."""
    with serve() as server:
        backup()
        socket, announced = join(server)
        spin_with(socket)
        proof = socket.expect("upgrader:proof")
        socket.close()
        server.stop()
    assert proof["serverSeedCommitment"] == announced["serverSeedCommitment"]
    return announced, proof


@pytest.mark.guarantee("A restore")
@pytest.mark.security("Restored database")
@pytest.mark.regulation("B.3 Backup and recovery")
@pytest.mark.regulation("(d) Non-repeatability")
def test_a_revealed_seed_is_useless_after_a_restore(
    serve, join, spin_with, revealed, restore, let_bets_go_on
):
    announced, proof = revealed
    expected = percent_of(proof["serverSeed"], client_seed=SAME_SEED, nonce=announced["nonce"])
    restore()
    let_bets_go_on()

    with serve() as server:
        socket, again = join(server)
        refused = spin_with(socket, serverSeedCommitment=announced["serverSeedCommitment"])
        spin_with(socket, clientSeed=SAME_SEED)
        pf = socket.expect("upgrader:pf")

    assert again["nonce"] == announced["nonce"]
    assert again["serverSeedCommitment"] != announced["serverSeedCommitment"]
    assert refused == {"status": False, "error": "Commitment does not match"}
    assert pf["serverSeedCommitment"] == again["serverSeedCommitment"]
    assert pf["percent"] != expected


@pytest.mark.both_databases("a running server")
@pytest.mark.guarantee("A restore")
@pytest.mark.security("Restored database")
def test_a_running_server_pauses_bets_and_goes_on_without_a_restart(
    serve, backup, restore, join, spin_with, let_bets_go_on
):
    with serve() as server:
        backup()
        socket, announced = join(server)
        spin_with(socket)
        socket.expect("upgrader:proof")
        restore()
        # Not while its connections are closed.
        wait_until(lambda: spin_with(socket) == PAUSED)
        let_bets_go_on()

        wait_until(lambda: spin_with(socket)["status"])
        used = socket.expect("upgrader:pf")

    assert used["serverSeedCommitment"] != announced["serverSeedCommitment"]


@pytest.mark.thorough
@sqlite_only
def test_a_restore_into_the_open_file_is_recognised(serve, env, backup, join, spin_with, tmp_path):
    with serve() as server:
        backup()
        socket, _ = join(server)
        spin_with(socket)
        socket.expect("upgrader:proof")
        backups.restore_in_place(tmp_path / "backup", env["DATABASE_URL"])

        answer = spin_with(socket)

    assert answer == PAUSED


@pytest.mark.guarantee("A restore")
@pytest.mark.regulation("(e) No discarded outputs")
def test_a_restart_keeps_the_commitment(serve, join, spin_with):
    with serve() as server:
        socket, _ = join(server)
        spin_with(socket)
        announced = socket.expect("upgrader:commitment")
        socket.expect("upgrader:proof")
        socket.close()
        server.stop()

    with serve(UPGRADER_PROOF_DELAY=HOUR) as server:
        socket, told = join(server)
        assert told == announced, "after a stop"
        spin_with(socket)
        announced = socket.expect("upgrader:commitment")
        server.kill()

    with serve() as server:
        assert join(server)[1] == announced, "killed before the proof was due"


@sqlite_only
def test_a_stop_writes_everything_into_the_file_of_the_database(serve, env, join, spin_with):
    """A copy of the file alone is complete then."""
    file = env["DATABASE_URL"].removeprefix("sqlite:///")
    with serve() as server:
        socket, _ = join(server)
        spin_with(socket)
        socket.close()
        # The test's own process has the file open, too.
        database.obj.close_all()
        was_used = Path(f"{file}-wal").exists()
        server.stop()

    assert was_used
    assert not Path(f"{file}-wal").exists()
