"""log:receipt: the server's promise to the socket that placed a bet."""

import pytest

from tests.blueprints.log.conftest import ORIGIN

SPIN = {"amount": 1, "requestId": "3f1f8c4e-6f0a-4b44-9d2b-0d1f4f3a9c55"}

pytestmark = pytest.mark.security("The public log")


@pytest.fixture
def clock():
    """That of the machine: a server runs."""
    return


@pytest.fixture
def bet(item):
    """Places a spin at a socket; the receipt, and the names of the events up to it."""

    def place(socket, **more):
        seen = len(socket.seen)
        assert socket.spin(SPIN | {"item": item} | more)["status"] is True
        receipt = socket.expect("log:receipt")
        return receipt, [name for name, _ in socket.seen[seen:]]

    return place


def test_a_receipt_arrives_after_the_balance(connect, player, bet):
    socket = connect(player)
    socket.expect("balance")

    receipt, names = bet(socket)

    assert receipt["nonce"] == 1
    assert names.index("balance") < names.index("log:receipt")


def test_a_receipt_is_signed_over_the_entry_that_is_logged_later(
    connect, player, bet, open_note, log, entries_of
):
    receipt, _ = bet(connect(player))

    note = open_note(receipt["receipt"])
    log.append_now()

    size = log.checkpoint().size
    promised = note.text.removeprefix(f"{ORIGIN}/receipt\n").removesuffix("\n").encode()
    assert entries_of(f"000.p/{size}").count(promised) == 1


def test_a_repeated_request_id_gets_the_same_receipt(connect, player, bet, log):
    first, _ = bet(connect(player))
    log.append_now()

    again, _ = bet(connect(player))

    assert again == first
