"""Many players who spin at once, half of them over polling, wait for locks without stopping others."""

from hashlib import sha256

import pytest

from bench.harness.waiting import wait_until
from tests.support.locks import locked, waiting_for_locks

PROOF = "upgrader:proof"


@pytest.mark.one_process
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_spins_that_wait_for_locks_leave_connections_for_other_requests(
    client, connect, new_player, item, database_url
):
    settling = 12
    crowd = [new_player(f"player-{number}") for number in range(settling + 3)]
    sockets = [connect(player, polling=number % 2 == 1) for number, player in enumerate(crowd)]
    with locked(database_url, "SELECT 1 FROM users FOR UPDATE"):
        for socket in sockets:
            socket.emit("upgrader:spin", {"amount": 1, "item": item})
        wait_until(lambda: waiting_for_locks(database_url) == settling)

        assert client.get("/auth/me", headers=crowd[0].headers).status_code == 200

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
