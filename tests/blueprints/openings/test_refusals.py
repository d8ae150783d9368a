"""Refused openings: their texts, as an event and as the acknowledgement, and no change."""

import pytest

from models.bets import Bet
from models.cases import Snapshot
from models.db.connection import reading, writing
from models.log import WaitingBet
from services.bets.snapshots import content_of_case
from services.cases import queries as cases
from tests.blueprints.openings.conftest import CHEAP, DEAR

REFUSED = {
    "not an object": ("open please", "Invalid request"),
    "no case": ({"case": ...}, "Invalid request"),
    "a case that is a number": ({"case": 5}, "Invalid request"),
    "a seed of three characters": ({"clientSeed": "abc"}, "Invalid client seed"),
    "an unknown case": ({"case": "nothing"}, "Case not found"),
    "a case in capitals": ({"case": "BOX"}, "Case not found"),
    "a case with a NUL": ({"case": "box\0"}, "Case not found"),
    "another price": ({"price": 10.52}, "Case price has changed"),
    "another snapshot": ({"snapshot": "0" * 64}, "Case has changed"),
    "an empty snapshot": ({"snapshot": ""}, "Case has changed"),
    "another commitment": ({"serverSeedCommitment": "0" * 64}, "Commitment does not match"),
}


def test_a_refused_opening_answers_with_the_reason_and_changes_nothing(connect, player, case, state_of):
    before = state_of(player)
    socket = connect(player)
    socket.expect("live-bets")

    wrong = {}
    for name, (changes, text) in REFUSED.items():
        payload = changes
        if isinstance(changes, dict):
            payload = {key: value for key, value in ({"case": case} | changes).items() if value is not ...}
        answer, event = socket.call("case:open", payload), socket.next()
        expected = {"status": False, "error": text}
        if (answer, event, state_of(player)) != (expected, ("case:open", expected), before):
            wrong[name] = answer, event

    assert wrong == {}


def test_seen_values_are_accepted_and_null_means_left_out(connect, player, case, snapshot_of):
    socket = connect(player)
    announced = socket.expect("upgrader:commitment")["serverSeedCommitment"]
    seen = {"price": 10.53, "snapshot": snapshot_of(case), "serverSeedCommitment": announced}

    assert socket.call("case:open", {"case": case} | seen)["status"] is True
    assert socket.call("case:open", {"case": case} | dict.fromkeys(seen))["status"] is True


def test_a_case_without_a_price_is_not_available(connect, player, put, add_item, state_of):
    for name, price in (("Unpriced", None), ("Worthless", 0), ("Priced", 9.5)):
        add_item(f"{name} | Gun", price=price)
    put("Unpriced", {"Priced | Gun": 50, "Unpriced | Gun": 50})
    put("Worthless", {"Worthless | Gun": 100})
    socket, before = connect(player), state_of(player)

    refused = [socket.call("case:open", {"case": case, "price": 1}) for case in ("unpriced", "worthless")]

    assert [answer["error"] for answer in refused] == ["Case is not available"] * 2
    assert state_of(player) == before

    add_item("Unpriced | Gun", price=9.5)

    assert socket.call("case:open", {"case": "unpriced"})["result"]["amount"] == 9.5


def test_a_new_price_or_snapshot_is_accepted_at_once(connect, player, case, put, snapshot_of):
    """Although the content that this process remembers is half a second old at most."""
    socket = connect(player)
    texts = {"price": "Case price has changed", "snapshot": "Case has changed"}
    percentages, price = {DEAR: 10, CHEAP: 90}, 10.53
    for seen, next_percentages, next_price in (
        ("price", {DEAR: 20, CHEAP: 80}, 15.79),
        ("snapshot", {DEAR: 10, CHEAP: 90}, 10.53),
    ):
        put("Box", percentages)
        before = {"price": price, "snapshot": snapshot_of(case)}
        assert socket.call("case:open", {"case": case})["status"] is True
        put("Box", next_percentages)
        after = {"price": next_price, "snapshot": snapshot_of(case)}

        assert socket.call("case:open", {"case": case, seen: after[seen]})["status"] is True, seen
        assert socket.call("case:open", {"case": case, seen: before[seen]})["error"] == texts[seen]
        percentages, price = next_percentages, next_price


@pytest.mark.one_process
def test_an_opening_whose_snapshot_a_restored_database_lacks_is_settled(app, connect, player, case):
    """Whatever this process may remember of it."""
    content = content_of_case(cases.get(case_id=case))
    socket = connect(player)
    assert socket.call("case:open", {"case": case})["status"] is True
    with writing():
        WaitingBet.delete().execute()
        Bet.delete().execute()
        Snapshot.delete().execute()

    answer = socket.call("case:open", {"case": case, "requestId": "r-1"})

    assert answer["status"] is True
    with reading():
        assert [row.hash for row in Snapshot.select()] == [content.hash]


@pytest.mark.both_databases("what a transaction that is undone leaves")
@pytest.mark.security("Input")
@pytest.mark.parametrize("event", ["case:open", "irl:open"])
def test_a_refused_opening_stores_no_snapshot(connect, new_player, case, irl_case, event):
    poor = connect(new_player("poor", coins=0))
    cases_by_event = {"case:open": case, "irl:open": irl_case}

    assert poor.call(event, {"case": cases_by_event[event]})["error"] == "Insufficient balance"

    with reading():
        assert Snapshot.select().count() == 0


# Each opening breaks this rule and every later one; the first broken rule answers.
ALL_WRONG = {"price": 1, "snapshot": "x", "serverSeedCommitment": "x"}
IN_ORDER = [
    ({"case": 5, "clientSeed": "?"}, "Invalid request"),
    ({"case": "none", "clientSeed": "?"}, "Invalid client seed"),
    ({"case": "none"}, "Case not found"),
    ({"case": "level-10"}, "Your level is too low"),
    ({"case": "free-case"}, "Free case is not available"),
    ({"case": "unpriced"}, "Case is not available"),
    ({"case": "box"}, "Case price has changed"),
    ({"case": "box", "price": 10.53}, "Case has changed"),
    ({"case": "box", "price": 10.53, "snapshot": None}, "Commitment does not match"),
    ({"case": "box", "price": 10.53, "snapshot": None, "serverSeedCommitment": None}, "Insufficient balance"),
]


def test_an_opening_is_refused_by_the_first_rule_it_breaks(connect, new_player, case, put, add_item):
    add_item("Unpriced | Gun", price=None)
    put("Unpriced", {"Unpriced | Gun": 100})
    put("Level 10", {"Unpriced | Gun": 100}, kind="level")
    put("Daily", {"Unpriced | Gun": 100}, kind="free")
    socket = connect(new_player("poor", coins=0))

    errors = [socket.call("case:open", ALL_WRONG | payload)["error"] for payload, _ in IN_ORDER]

    assert errors == [text for _, text in IN_ORDER]
