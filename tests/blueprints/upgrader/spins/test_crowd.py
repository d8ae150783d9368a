"""Many players who spin at once, half of them over polling, wait for locks without stopping others."""

import pytest

from tests.harness.waiting import wait_until
from tests.support.locks import locked, waiting_for_locks
from tests.support.markers import postgresql_only

PROOF = "upgrader:proof"


@pytest.mark.one_process
@postgresql_only
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
