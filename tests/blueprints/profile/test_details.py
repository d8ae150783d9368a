"""Personal details: the given ones change, either all or none."""

import threading
from functools import partial

import pytest

from services.accounts import users
from tests.harness.waiting import wait_until
from tests.support.at_once import all_at_once
from tests.support.locks import waiting_for_locks
from tests.support.markers import postgresql_only

DONE = (200, {"success": True})
TAKEN = (400, {"error": "Username is already taken"})
NAME_RULE = "username: must be 3 to 32 letters, digits, dots, dashes and underscores"
PHONE_RULE = "phone: must be + and 7 to 15 digits, or empty"
NO_CONTROLS = "must not have line breaks or control characters"

NO_ADDRESS = dict.fromkeys(["addressLine1", "addressLine2", "city", "zipCode", "state", "country"], "")
NOTHING = {"username": "alice", "firstName": "", "lastName": "", "phone": "", "shippingAddress": NO_ADDRESS}
ADDRESS = {
    "addressLine1": "1 Main St",
    "addressLine2": "Flat “B”",
    "city": "Łódź",
    "zipCode": "90-001",
    "state": "東京",
    "country": "PL",
}
EVERYTHING = {
    "username": "Alice.B_c-9",
    "firstName": "Ålice",
    "lastName": "O'Neill",
    "phone": "+48123456789",
    "shippingAddress": ADDRESS,
}


@pytest.fixture
def put(call, player):
    return lambda body, *, by=player: call("PUT", "details", body, by=by)


@pytest.fixture
def details(call):
    """The player's details."""

    def of():
        status, told = call("GET", "details")
        assert (status, told["success"]) == (200, True)
        return told["data"]

    return of


def test_only_the_given_details_change(put, details, me, new_player):
    assert details() == NOTHING
    assert put(EVERYTHING | {"username": "other"}, by=new_player("bob")) == DONE
    assert details() == NOTHING
    assert put(EVERYTHING) == DONE
    assert details() == EVERYTHING
    assert me()["username"] == "Alice.B_c-9"

    put({"lastName": "B", "shippingAddress": {"city": "Gdańsk"}})
    assert details() == EVERYTHING | {"lastName": "B", "shippingAddress": ADDRESS | {"city": "Gdańsk"}}
    put({"firstName": "", "lastName": "  ", "phone": "", "shippingAddress": NO_ADDRESS})
    assert details() == NOTHING | {"username": "Alice.B_c-9"}


def test_blanks_around_a_text_are_removed(put, details):
    put({"firstName": "  Mary Ann\u00a0 ", "shippingAddress": {"city": " " * 300 + "x" * 120}})

    assert (details()["firstName"], details()["shippingAddress"]["city"]) == ("Mary Ann", "x" * 120)


def test_an_invalid_detail_is_refused_by_name_and_changes_nothing(put, details):
    names = [
        *("", "ab", "a" * 33, "a b", " alice", "alice\n", "\u00e4lice", "a/b", "al\u0131ce", "<b>"),
        "abc\u200b",
    ]
    phones = [
        *("123456789", "+0123456789", "+123456", "+1234567890123456", "+1 234 567 890", "+12345678a", "+"),
        *("++12345678", "00123456789", "+1234-5678", "+1234567\u0661", "\uff0b12345678"),
    ]
    refusals = [
        *(({"username": name}, NAME_RULE) for name in names),
        *(({"phone": phone}, PHONE_RULE) for phone in phones),
        ({"firstName": "x" * 121}, "firstName: must have at most 120 characters"),
        ({"lastName": "😀" * 121}, "lastName: must have at most 120 characters"),
        ({"shippingAddress": {"city": "x" * 121}}, "shippingAddress.city: must have at most 120 characters"),
        *(({"firstName": f"a{bad}b"}, f"firstName: {NO_CONTROLS}") for bad in "\n\r\t\x01\x1b\x7f\x85\u2028"),
        ({"lastName": "a\n"}, f"lastName: {NO_CONTROLS}"),
        ({"phone": "+12345678\n"}, f"phone: {NO_CONTROLS}"),
        ({"shippingAddress": {"state": "\n"}}, f"shippingAddress.state: {NO_CONTROLS}"),
    ]

    answers = [(body, put(body)) for body, _ in refusals]

    assert answers == [(body, (400, {"error": text})) for body, text in refusals]
    assert details() == NOTHING


def test_null_wrong_types_and_unknown_keys_are_refused_by_name(put, details):
    texts = ["username", "firstName", "lastName", "phone"]
    unknown = ["colour", "first_name", "city", "email", "balance", "user", "userId", "__proto__"]
    bodies = [
        *(({name: value}, name) for name in texts for value in (None, 1, True, ["a"], {"a": "b"}, 1.5)),
        *(({"shippingAddress": value}, "shippingAddress") for value in (None, "a", 1, [])),
        *(({"shippingAddress": {name: None}}, f"shippingAddress.{name}") for name in ADDRESS),
        *(({"shippingAddress": {name: 1}}, f"shippingAddress.{name}") for name in ADDRESS),
        *(({name: "x"}, name) for name in unknown),
        *(({"shippingAddress": {name: "x"}}, f"shippingAddress.{name}") for name in ("colour", "zip_code")),
    ]

    answers = [(body, put({"firstName": "good"} | body), name) for body, name in bodies]

    assert [(body, answer) for body, answer, name in answers if not tells_of(answer, name)] == []
    assert details() == NOTHING


def tells_of(answer, key):
    """Whether this is a refusal whose text begins with the name of the invalid field."""
    status, told = answer
    return status == 400 and list(told) == ["error"] and told["error"].startswith(f"{key}: ")


def test_a_taken_name_is_refused_in_any_case(put, details, new_player):
    bob = new_player("Bob")

    for name in ("bob", "BOB", "bOb"):
        assert put({"username": name, "firstName": "A", "shippingAddress": {"city": "B"}}) == TAKEN, name
    assert details() == NOTHING
    # A former name can be taken.
    assert put({"username": "Robert"}, by=bob) == DONE
    assert put({"username": "bob"}) == DONE


@pytest.mark.both_databases("a race")
def test_one_of_many_players_who_want_a_name_gets_it(app, new_player):
    players = [new_player(f"player{number}") for number in range(8)]

    def rename(player):
        body = {"username": "wanted", "firstName": player.username}
        return app.test_client().put("/profile/details", json=body, headers=player.headers)

    answers = all_at_once([partial(rename, player) for player in players])

    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 7
    assert [answer.json for answer in answers].count(TAKEN[1]) == 7
    winner = next(
        player for player, answer in zip(players, answers, strict=True) if answer.status_code == 200
    )
    shown = [app.test_client().get("/profile/details", headers=p.headers).json["data"] for p in players]
    assert [told["firstName"] for told in shown if told["firstName"]] == [winner.username]


@postgresql_only
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [("PUT", "/profile/details", {"username": "new"}), ("POST", "/affiliate/set-code", {"code": "MINE"})],
)
def test_concurrent_first_details_and_another_change_do_not_deadlock(
    app, player, database_url, monkeypatch, method, path, body
):
    """Both check uniqueness and change the player's row; the details also refer to it."""
    lock, answers = users.lock, []

    def send(method, path, body):
        answers.append(app.test_client().open(path, method=method, json=body, headers=player.headers))

    def lock_and_wait(user_id):
        locked = lock(user_id)
        if threading.current_thread() is not other:
            other.start()
            wait_until(lambda: waiting_for_locks(database_url) == 1)
        return locked

    details = {"firstName": "Alice", "username": "newer"}
    other = threading.Thread(target=send, args=["PUT", "/profile/details", details])
    monkeypatch.setattr(users, "lock", lock_and_wait)

    send(method, path, body)

    other.join()
    assert [answer.status_code for answer in answers] == [200, 200]


@pytest.mark.both_databases("a race")
def test_concurrent_changes_of_different_details_are_all_stored(app, player, details):
    bodies = [
        {"firstName": "A"},
        {"lastName": "B", "username": "new"},
        {"phone": "+12345678"},
        {"shippingAddress": {"city": "C"}},
    ]

    def put(body):
        return app.test_client().put("/profile/details", json=body, headers=player.headers).status_code

    assert all_at_once([partial(put, body) for body in bodies]) == [200] * 4
    address = NO_ADDRESS | {"city": "C"}
    given = {
        "username": "new",
        "firstName": "A",
        "lastName": "B",
        "phone": "+12345678",
        "shippingAddress": address,
    }
    assert details() == NOTHING | given
