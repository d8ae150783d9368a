"""A proof is sent again at the next connection until the client is known to have received it."""

import pytest

from models.bets import Bet
from models.db.connection import reading
from models.proof_queries import RELEASED
from tests.harness.waiting import wait_until

PING, PONG = "2", "3"

pytestmark = pytest.mark.one_process


@pytest.fixture
def quick_pings(app):
    """Pings twenty times a second instead of every 25 seconds."""
    app.extensions["realtime"].server.eio.ping_interval = 0.05


@pytest.fixture
def disconnected(app):
    return lambda: wait_until(lambda: not app.extensions["realtime"].connections)


def delivered():
    with reading():
        marked = Bet.select().where(Bet.proof_delivered_at_ms.is_null(False))
        return [bet.nonce for bet in marked.order_by(Bet.nonce)]


def answer_pings_until(socket, nonces):
    """Read what the socket is sent, and answer pings, until these proofs are marked as delivered."""
    wait_until(lambda: socket.transport.receive_any() == PING and delivered() == nonces)


def spin_and_hear_proof(socket, item):
    assert socket.spin({"amount": 1, "item": item})["status"] is True
    return socket.expect("upgrader:proof")


@pytest.fixture
def nonces_heard(app, item):
    """Returns the nonces of the proofs that a socket receives up to that of one more spin."""

    def heard(socket):
        while "live-bets" not in dict(socket.seen):
            socket.next()
        # What the player missed is sent before the proof of the next spin.
        wait_until(lambda: not app.extensions["proofs"].overdue)
        assert socket.spin({"amount": 1, "item": item})["status"] is True
        last = socket.expect("upgrader:pf")["nonce"]
        nonces = [proof["nonce"] for name, proof in socket.seen if name == "upgrader:proof"]
        while last not in nonces:
            nonces.append(socket.expect("upgrader:proof")["nonce"])
        return nonces

    return heard


def test_an_acknowledgement_does_not_confirm_a_proof(
    connect, player, item, disconnected, nonces_heard, caplog
):
    socket = connect(player)
    spin_and_hear_proof(socket, item)
    socket.transport.send("431[]")
    # The server reads in order: once it has answered, it has read the acknowledgement.
    socket.spin("nonsense")
    socket.close()
    disconnected()

    assert nonces_heard(connect(player)) == [1, 2]
    assert not [record for record in caplog.records if record.levelname in ("WARNING", "ERROR")]


@pytest.mark.both_databases("models/proof_queries.py")
def test_an_answered_ping_confirms_the_proofs_before_it(
    quick_pings, connect, player, item, disconnected, nonces_heard
):
    socket = connect(player)
    spin_and_hear_proof(socket, item)
    answer_pings_until(socket, [1])
    socket.close()
    disconnected()

    assert nonces_heard(connect(player)) == [2]


def test_a_pong_confirms_no_proof_sent_after_its_ping(
    quick_pings, connect, player, item, disconnected, nonces_heard
):
    socket = connect(player)
    while socket.transport.receive_any(answering=False) != PING:
        pass
    socket.emit("upgrader:spin", {"amount": 1, "item": item})
    while '["upgrader:proof"' not in socket.transport.receive_any(answering=False):
        pass
    socket.transport.send(PONG)
    # The server reads in order: once it has answered, it has read the pong.
    socket.emit("upgrader:spin", "nonsense")
    while "Invalid request" not in socket.transport.receive_any(answering=False):
        pass
    socket.close()
    disconnected()

    assert nonces_heard(connect(player)) == [1, 2]


def test_an_unconfirmed_proof_goes_to_the_players_other_socket(quick_pings, connect, player, item):
    asking, other = connect(player), connect(player)
    spin_and_hear_proof(asking, item)

    asking.close()

    assert other.expect("upgrader:proof")["nonce"] == 1
    answer_pings_until(other, [1])


def test_confirmed_proofs_are_removed_from_memory(quick_pings, connect, app, player, item):
    socket = connect(player)
    spin_and_hear_proof(socket, item)
    answer_pings_until(socket, [1])

    sent = app.extensions["proofs"]._sent
    wait_until(lambda: not sent)
    assert not any(vars(sent)[name] for name in ("_by_socket", "_sockets", "_confirmed"))


@pytest.mark.both_databases("models/proof_queries.py")
def test_an_unconfirmed_proof_is_released_at_the_stop(connect, app, player, item):
    spin_and_hear_proof(connect(player), item)

    app.extensions["realtime"].close()

    with reading():
        bet = Bet.get()
    assert (bet.proof_held_by, bet.proof_delivered_at_ms) == (RELEASED, None)
    assert bet.server_seed
