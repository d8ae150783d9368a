"""The events payments:changed and balance reach all sockets of the player, whoever makes the change."""

import pytest

from tests.harness.btcpay.faults import Fault

CHANGED = "payments:changed"
for_staff = pytest.mark.settings(WITHDRAWAL_AUTO_APPROVE="0")


@pytest.fixture
def hear():
    """Waits until a socket has got these balances and changes; others may come too."""

    def until(socket, *wanted):
        missing = list(wanted)
        while missing:
            name, payload = socket.next()
            heard = payload["balance"] if name == "balance" else payload if name == CHANGED else None
            if heard in missing:
                missing.remove(heard)

    return until


def changed(made, status):
    """The payload of the event."""
    return {"id": made["id"], "type": "withdrawal" if "to" in made else "deposit", "status": status}


def test_each_socket_hears_the_steps_of_a_deposit(connect, player, deposit, fake, invoice_of, hear, clock):
    sockets = [connect(player) for _ in range(2)]
    made = deposit()
    fake.pay(invoice_of(made))
    for socket in sockets:
        hear(socket, 100, changed(made, "pending"))

    clock.advance(seconds=11)

    for socket in sockets:
        hear(socket, changed(made, "credited"), 125)


def test_each_socket_hears_the_steps_of_a_withdrawal(connect, player, withdraw, fake, payout_of, hear, clock):
    sockets = [connect(player) for _ in range(2)]
    made = withdraw()
    for socket in sockets:
        hear(socket, 75, changed(made, "sent"))
    fake.complete(payout_of(made))

    clock.advance(seconds=11)

    for socket in sockets:
        hear(socket, changed(made, "completed"))


@for_staff
def test_a_decision_of_staff_is_heard_with_the_balance(connect, player, withdraw, run, hear):
    socket = connect(player)
    made = withdraw()
    hear(socket, 75, changed(made, "requested"))

    run("payments", "reject", made["id"], "--reason", "unknown")

    hear(socket, changed(made, "rejected"), 100)


def test_other_players_and_spectators_hear_nothing(connect, player, new_player, deposit, hear):
    own, *others = connect(player), connect(new_player("bob")), connect()
    made = deposit()

    hear(own, changed(made, "pending"))

    for other in others:
        other.call("upgrader:spin", {})
        assert CHANGED not in [name for name, _ in other._unread]


@pytest.fixture
def told(app, monkeypatch):
    """The changes that a round of this process tells to the player's sockets, which need no server."""
    changes, realtime, sent = app.extensions["payment_changes"], app.extensions["realtime"], []
    monkeypatch.setattr(realtime.connections, "sids_of", lambda _: ["sid"])

    def send(_, events):
        sent.extend(payload["status"] for name, payload in events if name == CHANGED)

    monkeypatch.setattr(realtime, "send", send)

    def new():
        sent.clear()
        changes.send_new()
        return sent[:]

    return new


def test_a_change_is_told_once(told, deposit, clock):
    deposit()

    assert told() == ["pending"]
    clock.advance(seconds=1)
    assert [told() for _ in range(3)] == [[]] * 3


@pytest.fixture
def slow(fake, clock, told):
    """Lets the next request of an operation take nine seconds, in which a round is over; what that told."""

    def plan(operation, times=1):
        meanwhile = []

        def wait(_):
            clock.advance(seconds=9)
            meanwhile.extend(told())

        for _ in range(times):
            fake.faults.next(operation, Fault.NONE, strike=wait)
        return meanwhile

    return plan


def test_a_credit_after_a_slow_answer_is_told(told, slow, deposit, fake, invoice_of, poll):
    fake.pay(invoice_of(deposit()))
    told()
    meanwhile = slow("get invoice")

    poll()

    assert (meanwhile, told()) == ([], ["credited"])
