"""Many players who spin at once, half of them over polling, wait for locks without stopping others."""

from contextlib import closing
from hashlib import sha256

import psycopg2
import pytest

from bench.harness.waiting import wait_until

PROOF = "upgrader:proof"
WAITING_FOR_LOCKS = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@pytest.fixture
def others_transaction(database_url):
    """A connection of somebody else's, whose locks last until the test ends them."""
    with closing(psycopg2.connect(database_url)) as connection:
        yield connection


@pytest.mark.one_process
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_spins_that_wait_for_locks_leave_connections_for_other_requests(
    client, connect, new_player, item, others_transaction
):
    settling = 12
    crowd = [new_player(f"player-{number}") for number in range(settling + 3)]
    sockets = [connect(player, polling=number % 2 == 1) for number, player in enumerate(crowd)]
    with others_transaction.cursor() as cursor:
        cursor.execute("SELECT 1 FROM users FOR UPDATE")
        for socket in sockets:
            socket.emit("upgrader:spin", {"amount": 1, "item": item})
        with closing(psycopg2.connect(others_transaction.dsn)) as watching, watching.cursor() as watcher:
            watching.autocommit = True

            def waiting():
                watcher.execute(WAITING_FOR_LOCKS)
                return watcher.fetchone()[0]

            wait_until(lambda: waiting() == settling)

            assert client.get("/auth/me", headers=crowd[0].headers).status_code == 200

    others_transaction.rollback()

    assert [socket.expect("upgrader:spin")["status"] for socket in sockets] == [True] * len(crowd)


def test_players_over_polling_and_websockets_get_their_answers_and_proofs(connect, new_player, item):
    crowd = [new_player(f"player-{number}") for number in range(10)]
    sockets = [connect(player, polling=number % 2 == 1) for number, player in enumerate(crowd)]
    for socket in sockets:
        socket.emit("upgrader:spin", {"amount": 1, "item": item})

    told = [[socket.expect(name) for name in ("upgrader:pf", "upgrader:spin", PROOF)] for socket in sockets]

    assert [answer["status"] for _, answer, _ in told] == [True] * len(crowd)
    assert [pf["serverSeedCommitment"] for pf, *_ in told] == [
        sha256(proof["serverSeed"].encode()).hexdigest() for *_, proof in told
    ]
