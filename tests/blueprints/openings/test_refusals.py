"""Refused openings: their texts, as an event and as the acknowledgement, and no change."""

import pytest

from models.db.connection import reading, writing
from models.snapshots import Snapshot
from services.cases import reading as cases
from services.games.snapshots import content_of_case
from tests.blueprints.openings.conftest import CHEAP, DEAR

REFUSED = {
    "not an object": ("open please", "Invalid request"),
    "nothing at all": (None, "Invalid request"),
    "no case": ({"case": ...}, "Invalid request"),
    "a case of null": ({"case": None}, "Invalid request"),
    "a case that is a number": ({"case": 5}, "Invalid request"),
    "a price that is a text": ({"price": "10.53"}, "Invalid request"),
    "an empty request id": ({"requestId": ""}, "Invalid request"),
    "a seed of three characters": ({"clientSeed": "abc"}, "Invalid client seed"),
    "an unknown case": ({"case": "nothing"}, "Case not found"),
    "an empty case": ({"case": ""}, "Case not found"),
    "a case in capitals": ({"case": "BOX"}, "Case not found"),
    "a case with a NUL": ({"case": "box\0"}, "Case not found"),
    "another price": ({"price": 10.52}, "Case price has changed"),
    "a price of three decimals": ({"price": 10.531}, "Case price has changed"),
    "another snapshot": ({"snapshot": "0" * 64}, "Case has changed"),
    "a snapshot that is a number": ({"snapshot": 5}, "Case has changed"),
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


def test_what_the_player_saw_is_accepted_and_a_null_is_a_key_left_out(connect, player, case, snapshot_of):
    socket = connect(player)
    announced = socket.expect("upgrader:commitment")["serverSeedCommitment"]
    seen = {"price": 10.53, "snapshot": snapshot_of(case), "serverSeedCommitment": announced}

    assert socket.call("case:open", {"case": case} | seen)["status"] is True
    assert socket.call("case:open", {"case": case} | dict.fromkeys(seen))["status"] is True


@pytest.mark.parametrize("env", [{"UPGRADER_MIN_WAGER": "11"}, {"UPGRADER_MAX_WAGER": "5"}], indirect=True)
def test_the_wager_limits_of_the_upgrader_do_not_apply(connect, player, case):
    assert connect(player).call("case:open", {"case": case})["status"] is True


def test_a_spectator_cannot_open_a_case(connect, case):
    socket = connect()

    assert [socket.call(f"{game}:open", {"case": case})["error"] for game in ("case", "irl")] == [
        "Unauthorized",
        "Unauthorized",
    ]


def test_cases_of_one_game_are_not_found_by_the_other(connect, player, case, irl_case):
    socket = connect(player)

    assert socket.call("irl:open", {"case": case})["error"] == "Case not found"
    assert socket.call("case:open", {"case": irl_case})["error"] == "Case not found"


def test_a_case_that_costs_more_than_the_balance_is_refused(connect, new_player, case, state_of):
    poor = new_player("poor", coins=10)
    before = state_of(poor)

    assert connect(poor).call("case:open", {"case": case})["error"] == "Insufficient balance"
    assert state_of(poor) == before


def test_a_case_with_an_item_without_a_price_is_not_available(
    connect, player, put, items, add_item, state_of
):
    add_item("Unpriced | Gun", price=None)
    put("Box", {DEAR: 50, "Unpriced | Gun": 50})
    before = state_of(player)

    assert connect(player).call("case:open", {"case": "box", "price": 1})["error"] == "Case is not available"
    assert state_of(player) == before


def test_a_case_of_price_0_is_not_available(connect, player, put, add_item):
    add_item("Worthless | Gun", price=0)
    put("Box", {"Worthless | Gun": 100})

    assert connect(player).call("case:open", {"case": "box"})["error"] == "Case is not available"


def test_a_case_that_gets_its_price_is_available_at_once(connect, player, put, add_item):
    add_item("Gun", price=None)
    put("Box", {"Gun": 100})
    socket = connect(player)
    assert socket.call("case:open", {"case": "box"})["error"] == "Case is not available"

    add_item("Gun", price=9.5)

    assert socket.call("case:open", {"case": "box"})["result"]["amount"] == 9.5


@pytest.mark.parametrize("seen", ["price", "snapshot"])
def test_a_new_price_or_snapshot_is_accepted_at_once(connect, player, case, put, seen, snapshot_of):
    """Although the content that this process remembers is half a second old at most."""
    socket = connect(player)
    before = {"price": 10.53, "snapshot": snapshot_of(case)}
    assert socket.call("case:open", {"case": case})["status"] is True
    put("Box", {DEAR: 20, CHEAP: 80})
    after = {"price": 15.79, "snapshot": snapshot_of(case)}

    answer = socket.call("case:open", {"case": case, seen: after[seen]})

    assert answer["status"] is True
    texts = {"price": "Case price has changed", "snapshot": "Case has changed"}
    assert socket.call("case:open", {"case": case, seen: before[seen]})["error"] == texts[seen]


@pytest.mark.one_process
def test_an_opening_whose_snapshot_a_restored_database_lacks_is_settled(app, connect, player, case):
    # The process remembers its id for ten seconds.
    content = content_of_case(cases.get(case_id=case))
    app.extensions["services"].snapshots.id_for_bet(content)
    with writing():
        Snapshot.delete().execute()

    answer = connect(player).call("case:open", {"case": case, "requestId": "r-1"})

    assert answer["status"] is True
    with reading():
        assert [row.hash for row in Snapshot.select().where(Snapshot.is_opened)] == [content.hash]


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


def test_an_opening_that_breaks_several_rules_is_refused_by_the_first(
    connect, new_player, case, put, add_item
):
    add_item("Unpriced | Gun", price=None)
    put("Unpriced", {"Unpriced | Gun": 100})
    put("Level 10", {"Unpriced | Gun": 100}, kind="level")
    put("Daily", {"Unpriced | Gun": 100}, kind="free")
    socket = connect(new_player("poor", coins=0))

    errors = [socket.call("case:open", ALL_WRONG | payload)["error"] for payload, _ in IN_ORDER]

    assert errors == [text for _, text in IN_ORDER]
