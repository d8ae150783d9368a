"""Proofs of players whose sockets, bets and processes are not the same."""

import pytest

from models.bets import Bet
from models.db.connection import reading
from tests.harness.players import create_player
from tests.harness.spins import play_spin
from tests.harness.waiting import wait_until
from tests.support.apps import ITEM, two_processes

BETS = 120
"""More than are revealed at once."""

pytestmark = pytest.mark.redis


@pytest.fixture(scope="module")
def processes(postgres, redis, tmp_path_factory):
    with two_processes(postgres, tmp_path_factory.mktemp("processes"), redis) as processes:
        yield processes


@pytest.fixture
def player(processes):
    return create_player(processes[0][0], coins=1000)


def spin(socket):
    assert socket.spin({"amount": 1, "item": ITEM})["status"] is True


def look_up(app):
    """Wait until a look-up of proofs that begins after this call has ended."""
    delivery = app.extensions["proofs"]
    for _ in range(2):
        delivery._looked_up_at = None
        wait_until(lambda: delivery._looked_up_at)


def bets(player, condition):
    """How many of the player's bets fulfil the condition."""
    with reading():
        return Bet.select().where(Bet.user == player.id, condition).count()


def bet_ids(player):
    """The ids of the player's bets as live bets show them, in order."""
    with reading():
        return [str(bet.id) for bet in Bet.select().where(Bet.user == player.id).order_by(Bet.id)]


def announced(spectator, expected):
    """The ids of announced bets up to the last of these, without late ones of other tests."""
    ids = []
    while expected[-1] not in ids:
        ids.append(spectator.expect("live-bets:new")["id"])
    return [bet_id for bet_id in ids if int(bet_id) >= int(expected[0])]


def nonces(socket):
    return [payload["nonce"] for name, payload in socket.seen if name == "upgrader:proof"]


def test_an_unconfirmed_proof_goes_to_the_player_on_another_process(processes, open_socket, player):
    (_, first), (_, second) = processes
    asking, other = open_socket(first, player), open_socket(second, player)
    spin(asking)
    asking.expect("upgrader:proof")

    asking.close()

    assert other.expect("upgrader:proof")["nonce"] == 1


def test_a_client_confirms_a_proof_for_all_processes(processes, open_socket, player, monkeypatch):
    (_, first), (app, second) = processes
    monkeypatch.setattr(app.extensions["realtime"].server.eio, "ping_interval", 0.2)
    socket = open_socket(first, player)
    spin(socket)
    socket.close()
    other = open_socket(second, player)
    other.expect("upgrader:proof")
    wait_until(
        lambda: other.transport.receive_any() and bets(player, Bet.proof_delivered_at_ms.is_null(False))
    )

    back = open_socket(first, player)
    spin(back)
    back.expect("upgrader:proof")

    assert nonces(back) == [2]


@pytest.mark.thorough
def test_a_new_socket_gets_all_proofs_that_another_process_holds(processes, open_socket, player):
    (_, first), (_, second) = processes
    asking = open_socket(first, player)
    for _ in range(5):
        spin(asking)
        asking.expect("upgrader:proof")

    back = open_socket(second, player)

    assert [back.expect("upgrader:proof")["nonce"] for _ in range(5)] == [1, 2, 3, 4, 5]


@pytest.fixture
def play(processes, player):
    """Settles a bet without a process that knows of it, as when that process has died."""
    app, _ = processes[0]
    clock = app.extensions["services"].clock
    return lambda *, ago_ms: play_spin(app, player, ITEM, clock=lambda: clock() - ago_ms, client_seed="seed")


@pytest.fixture
def spectators(processes, open_socket):
    """One at each process."""
    sockets = [open_socket(url) for _, url in processes]
    for socket in sockets:
        socket.expect("live-bets")
    return sockets


def test_processes_announce_each_overdue_bet_once(processes, open_socket, player, play, spectators):
    for _ in range(BETS):
        play(ago_ms=5_000)
    for app, _ in processes:
        app.extensions["proofs"]._looked_up_at = None
    back = open_socket(processes[1][1], player)

    # Those that the other process has claimed come after it has released them.
    assert {back.expect("upgrader:proof")["nonce"] for _ in range(BETS)} == set(range(1, BETS + 1))
    spin(back)
    back.expect("upgrader:proof")
    expected = bet_ids(player)
    heard = [announced(spectator, expected) for spectator in spectators]
    assert [sorted(ids, key=int) for ids in heard] == [expected] * 2
