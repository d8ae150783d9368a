"""Request ids: a retry never spins twice."""

import pytest

from services.items import catalogue
from tests.harness.spins import play_spin
from tests.harness.waiting import wait_until

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY="600")


def spin(target, **changes):
    return {"amount": 1, "item": target, "clientSeed": "same-seed", "requestId": "r-1"} | changes


@pytest.mark.regulation("4.16 Interrupted games")
def test_the_same_request_again_spins_once(connect, player, item, state_of):
    socket = connect(player)
    first = socket.spin(spin(item))
    after_first = state_of(player)

    assert socket.spin(spin(item)) == first
    assert connect(player).spin(spin(item, amount=1.0)) == first
    assert state_of(player) == after_first


def test_a_repeated_request_gets_no_new_commitment(connect, player, item):
    connect(player).spin(spin(item))
    socket = connect(player)
    socket.expect("live-bets")

    again = socket.spin(spin(item))
    events = [socket.next() for _ in range(3)]
    socket.spin("nonsense")

    assert [name for name, _ in events] == ["upgrader:pf", "upgrader:spin", "log:receipt"]
    assert events[0][1]["nonce"] == 1
    assert events[1][1] == again
    # Neither a commitment nor a balance follows.
    assert socket.next()[0] == "upgrader:spin"


def test_a_repeated_request_is_answered_after_price_changes(app, connect, player, item, add_item):
    socket = connect(player)
    commitment = socket.expect("upgrader:commitment")["serverSeedCommitment"]
    request = spin(item, serverSeedCommitment=commitment, price=10)
    first = socket.spin(request)
    add_item(price=20)
    catalogue.publish()
    app.extensions["services"].catalogue.load_newest()
    wait_until(lambda: socket.spin({"amount": 0.01, "item": item, "price": 20})["status"])

    assert socket.spin(request) == first


@pytest.mark.both_databases("one statement decides of requests with one id")
def test_the_same_id_with_other_content_is_refused(connect, player, item, state_of):
    socket = connect(player)
    socket.spin(spin(item))
    before = state_of(player)

    for other in (
        {"amount": 2},
        {"clientSeed": "other-seed"},
        {"clientSeed": None},
        {"price": 10},
        {"item": "another"},
    ):
        answer = socket.spin(spin(item, **other))

        assert answer == {"status": False, "error": "Request id was used for another spin"}, other
        assert state_of(player) == before


def test_an_id_can_be_reused_after_refusal_and_by_others(connect, player, new_player, item):
    socket = connect(player)
    assert socket.spin(spin(item, amount=9.999))["status"] is False

    assert socket.spin(spin(item))["status"] is True
    assert connect(new_player("bob")).spin(spin(item))["status"] is True


@pytest.mark.both_databases("one statement decides of requests with one id")
@pytest.mark.security("Coins")
def test_the_same_request_at_two_processes_at_once_spins_once(make_app, player, item, state_of):
    """The other process settles the request when this one is about to."""
    here, there = make_app(), make_app()
    seeds = here.extensions["services"].seeds
    draw = seeds.draw
    first = []

    def settled_meanwhile(*, nonce):
        if not first:
            first.append(play_spin(there, player, item, request_id="r-1"))
        return draw(nonce=nonce)

    seeds.draw = settled_meanwhile
    again = play_spin(here, player, item, request_id="r-1")

    assert again.bet.id == first[0].bet.id
    assert state_of(player)[1] == 1
