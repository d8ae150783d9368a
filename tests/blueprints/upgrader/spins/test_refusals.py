"""Refused spins: their texts, as an event and as the acknowledgement, and no change."""

import time

import pytest

from models.db.connection import writing
from models.users import PERMANENTLY, User

REFUSED = {
    "not an object": ("spin please", "Invalid request"),
    "a list": ([1, 2], "Invalid request"),
    "no amount": ({"amount": ...}, "Invalid request"),
    "no item": ({"item": ...}, "Invalid request"),
    "an item that is a number": ({"item": 5}, "Invalid request"),
    "a price that is a boolean": ({"price": True}, "Invalid request"),
    "an empty request id": ({"requestId": ""}, "Invalid request"),
    "a request id of 65 characters": ({"requestId": "x" * 65}, "Invalid request"),
    "a request id that is a number": ({"requestId": 7}, "Invalid request"),
    "a boolean amount": ({"amount": True}, "Invalid amount"),
    "a text amount": ({"amount": "1"}, "Invalid amount"),
    "an amount of zero": ({"amount": 0}, "Invalid amount"),
    "a third decimal": ({"amount": 1.005}, "Invalid amount"),
    "an amount above 1e9": ({"amount": 1_000_000_000.01}, "Invalid amount"),
    "a seed of three characters": ({"clientSeed": "abc"}, "Invalid client seed"),
    "a seed with a space": ({"clientSeed": "my seed"}, "Invalid client seed"),
    "a seed that is a number": ({"clientSeed": 12345}, "Invalid client seed"),
    "an unknown item": ({"item": "AK-47 | Nothing"}, "Item not found"),
    "an item with a NUL": ({"item": "AK-47\0"}, "Item not found"),
    "another price": ({"price": 9.99}, "Item price has changed"),
    "a wager of the item's price": ({"amount": 10}, "Item price must be higher than the wager"),
    "another commitment": ({"serverSeedCommitment": "0" * 64}, "Commitment does not match"),
}


def test_a_refused_spin_answers_with_the_reason_and_changes_nothing(connect, player, item, state_of):
    before = state_of(player)
    socket = connect(player)
    socket.expect("live-bets")

    wrong = {}
    for case, (changes, text) in REFUSED.items():
        payload = changes
        if isinstance(changes, dict):
            payload = {"amount": 1, "item": item} | changes
            payload = {key: value for key, value in payload.items() if value is not ...}
        answer = socket.spin(payload)
        event = socket.next()
        expected = {"status": False, "error": text}
        if (answer, event, state_of(player)) != (expected, ("upgrader:spin", expected), before):
            wrong[case] = answer, event

    assert wrong == {}


@pytest.mark.regulation("(e) No discarded outputs")
def test_a_spin_obeys_the_limit_balance_and_items_price(connect, client, player, add_item, state_of):
    prices = {"Dearest": 1_000_000_000, "Dear": 20_000, "Item": 200, "No price": None, "Nothing": 0}
    items = {name: add_item(f"{name} | Thing", price=price) for name, price in prices.items()}
    announced = client.get("/upgrader/commitment", headers=player.headers).json
    socket, before = connect(player), state_of(player)

    refused = {
        ("Dearest", 0.01): "Wager is too small for this item",
        ("Dear", 10_000.01): "Wager is above the limit",
        ("Item", 100.01): "Insufficient balance",
        ("No price", 1): "Item not found",
        ("Nothing", 1): "Item not found",
    }
    errors = {
        (name, amount): socket.spin({"amount": amount, "item": items[name]})["error"]
        for name, amount in refused
    }

    assert errors == refused
    assert socket.spin() == {"status": False, "error": "Invalid request"}
    assert state_of(player) == before
    assert client.get("/upgrader/commitment", headers=player.headers).json == announced
    # The whole balance.
    assert socket.spin({"amount": 100, "item": items["Item"]})["status"] is True


def test_a_number_that_no_double_holds_is_an_invalid_amount(connect, player, item):
    socket = connect(player)

    # Written by hand, because no encoder writes them.
    for amount in ("NaN", "Infinity", "-Infinity", "1.000000000000000000001"):
        socket.transport.send(f'42["upgrader:spin",{{"amount":{amount},"item":"{item}"}}]')
        assert socket.expect("upgrader:spin") == {"status": False, "error": "Invalid amount"}, amount


# Each spin breaks this rule and every later one; the first broken rule answers.
IN_ORDER = [
    ({"item": 5, "amount": "x", "clientSeed": "?", "price": 1}, "Invalid request"),
    ({"item": "none", "amount": "x", "clientSeed": "?", "price": 1}, "Invalid amount"),
    ({"item": "none", "amount": 0.001, "clientSeed": "?", "price": 1}, "Invalid amount"),
    ({"item": "none", "amount": 20_000, "clientSeed": "?", "price": 1}, "Invalid client seed"),
    ({"item": "none", "amount": 20_000, "price": 1, "serverSeedCommitment": "x"}, "Item not found"),
    ({"amount": 20_000, "price": 1, "serverSeedCommitment": "x"}, "Item price has changed"),
    ({"amount": 30_000, "serverSeedCommitment": "x"}, "Item price must be higher than the wager"),
    ({"amount": 20_000, "serverSeedCommitment": "x"}, "Wager is above the limit"),
    ({"amount": 5_000, "serverSeedCommitment": "x"}, "Commitment does not match"),
    ({"amount": 5_000}, "Insufficient balance"),
]


def test_a_spin_is_refused_by_the_first_rule_it_breaks(connect, player, add_item):
    item = add_item("Dear | Thing", price=30_000)
    socket = connect(player)

    errors = [socket.spin({"item": item} | payload)["error"] for payload, _ in IN_ORDER]

    assert errors == [text for _, text in IN_ORDER]


BROKEN = {
    "suspended_at_ms": 1,
    "excluded_until_ms": PERMANENTLY,
    "play_began_at_ms": 0,
    "day_wager_limit_cents": 1,
}
# The player's state breaks all rules at first. Each row ends one of them.
STATES = [
    ("Account suspended", {"suspended_at_ms": None}),
    ("You have excluded yourself permanently", {"excluded_until_ms": None}),
    ("Session time limit reached", {"play_began_at_ms": PERMANENTLY}),
    ("Please wait before the next bet", {"last_bet_at_ms": 0}),
    ("Your limit is reached", {"day_wager_limit_cents": None}),
]


@pytest.mark.settings(SESSION_LIMIT_MINUTES="600", GAME_MIN_CYCLE_SECONDS="600")
class TestThePlayersState:
    @pytest.mark.regulation("2.4 Gaming management")
    def test_suspension_is_checked_first_and_other_states_after_the_rules(self, connect, player, add_item):
        bet = {"item": add_item("Dear | Thing", price=30_000), "amount": 5_000, "serverSeedCommitment": "x"}
        change(player, {"last_bet_at_ms": time.time_ns() // 1_000_000} | BROKEN)
        socket = connect(player)

        errors = [socket.spin(None)["error"]]
        for _, ended in STATES:
            errors.append(socket.spin(bet)["error"])
            change(player, ended)
        errors.append(socket.spin(bet)["error"])

        states = [error for error, _ in STATES]
        assert errors == ["Account suspended", *states, "Commitment does not match"]


def change(player, columns):
    with writing():
        User.update(**columns).where(User.id == player.id).execute()
