"""flask items, cases and irl retire: no longer sold, while everything that was won stays."""

import pytest

from tests.harness.players import create_player, import_case, import_prices
from tests.harness.waiting import wait_until
from tests.support.apps import import_irl_case

GUN, ROCK, OTHER = "Gun", "Rock", "Other"
HALVES = {GUN: 50, ROCK: 50}


@pytest.fixture(autouse=True)
def content(app):
    """Three items, two cases, the free case, and a case of real-life items."""
    import_prices({GUN: 20, ROCK: 10, OTHER: 5})
    import_case("Box", HALVES)
    import_case("Chest", {ROCK: 50, OTHER: 50})
    import_case("Daily", HALVES, kind="free")
    import_irl_case("desk", price=12)


@pytest.fixture
def get(client):
    """Status and JSON of a public path."""

    def get(path):
        answer = client.get(path)
        return answer.status_code, answer.json

    return get


@pytest.fixture
def open_case(connect, player):
    """Opens a case as the player; the answer."""
    socket = connect(player)
    return lambda case, event="case:open", **more: socket.call(event, {"case": case} | more)


def names(rows):
    return {row["marketHashName"] for row in rows}


def ids(rows):
    return {row["id"] for row in rows}


def refusal(text):
    return {"status": False, "error": text}


NOT_FOUND = refusal("Case not found")
NOT_AVAILABLE = refusal("Case is not available")


def item(name, price=20):
    return [{"appid": 730, "marketHashName": name, "price": price}]


def case(name, contents=HALVES):
    held = [{"marketHashName": item, "percentage": part} for item, part in contents.items()]
    return {"name": name, "items": held}


def test_a_retired_item_leaves_a_running_server_until_it_is_imported_again(run, connect, player, get, write):
    socket = connect(player)
    spin = {"amount": 1, "item": GUN}
    assert socket.call("upgrader:spin", spin)["status"] is True

    printed = run("items", "retire", GUN)

    assert printed["item"] == GUN
    assert printed["casesNotAvailable"] == ["box", "free-case"]
    wait_until(lambda: names(get("/upgrader/items")[1]) == {ROCK, OTHER})
    assert get("/upgrader/items/pagination?search=gun")[1]["items"] == []
    wait_until(lambda: socket.call("upgrader:spin", spin) == refusal("Item not found"))
    run("items", "import", write(item(GUN, 21)))
    run("items", "publish")
    wait_until(lambda: names(get("/upgrader/items")[1]) == {GUN, ROCK, OTHER})


def test_a_case_with_a_retired_item_cannot_be_opened_meanwhile(run, write, get, open_case):
    assert open_case("box")["status"] is True
    run("items", "retire", GUN)

    wait_until(lambda: open_case("box") == NOT_AVAILABLE)
    wait_until(lambda: get("/api/cases/box")[1]["snapshot"] is None)
    shown = {item["marketHashName"]: item["price"] for item in get("/api/cases/box")[1]["items"]}
    assert shown == {GUN: None, ROCK: "$10.00"}
    assert open_case("chest")["status"] is True

    run("items", "import", write(item(GUN)))
    wait_until(lambda: open_case("box")["status"] is True)


def test_no_case_is_imported_or_made_with_a_retired_item(run, write, fails, open_case, send, app):
    creator = create_player(app, "creator", level=25)
    run("items", "retire", GUN)

    assert fails("cases", "import", write([case("Box")])) == "Error: row 1: the item Gun is retired"
    made = send(creator, "POST", "/api/cases/create", case("Mine"))
    unknown = case("Mine", {"Unknown": 50, ROCK: 50})
    assert made == send(creator, "POST", "/api/cases/create", unknown)
    assert made[0] == 400

    run("cases", "import", write([case("Box", {OTHER: 50, ROCK: 50})]))
    wait_until(lambda: open_case("box")["status"] is True)


def test_a_retired_case_is_not_listed_or_opened_until_it_is_imported_again(run, get, open_case, write):
    assert open_case("box")["status"] is True

    assert run("cases", "retire", "Box")["case"] == "box"

    wait_until(lambda: open_case("box") == NOT_FOUND)
    wait_until(lambda: ids(get("/api/cases")[1]) == {"chest"})
    wait_until(lambda: get("/api/cases/box")[0] == 404)
    page = get("/api/cases/pagination")[1]
    assert (ids(page["cases"]), page["pagination"]["totalItems"]) == ({"chest"}, 1)
    assert open_case("chest")["status"] is True
    run("cases", "import", write([case("Box", {ROCK: 100})]))
    wait_until(lambda: get("/api/cases/box")[0] == 200)


def test_the_free_case_can_be_retired_by_its_name(run, get):
    assert get("/api/cases/free")[0] == 200

    assert run("cases", "retire", "DAILY")["case"] == "free-case"

    wait_until(lambda: get("/api/cases/free")[0] == 404)


def test_a_case_of_a_player_can_be_retired_and_restored(run, send, app, get):
    creator, new = create_player(app, "creator", level=25), case("Bad Words")
    assert send(creator, "POST", "/api/cases/create", new)[0] == 200
    assert get("/api/cases/bad-words")[0] == 200

    run("cases", "retire", "bad words")
    wait_until(lambda: get("/api/cases/bad-words")[0] == 404)
    # The name stays taken.
    assert send(creator, "POST", "/api/cases/create", new)[0] == 400

    assert run("cases", "restore", "bad-words") == {"case": "bad-words", "retiredAt": None}
    wait_until(lambda: get("/api/cases/bad-words")[0] == 200)


def test_a_retired_irl_case_returns_when_imported_again(run, write, get, open_case):
    assert open_case("desk", "irl:open")["status"] is True

    run("irl", "retire", "desk")

    wait_until(lambda: open_case("desk", "irl:open") == NOT_FOUND)
    wait_until(lambda: (get("/irl")[1], get("/irl/desk")[0]) == ([], 404))

    row = {"id": "desk", "name": "Desk", "price": 12, "items": [{"name": "Pen", "image": "", "price": 1}]}
    run("irl", "import", write([row]))
    wait_until(lambda: ids(get("/irl")[1]) == {"desk"})


def test_bets_snapshots_and_audits_outlive_what_was_retired(run, get, open_case, send, player):
    request = {"requestId": "once"}
    first = open_case("box", **request)
    open_case("desk", "irl:open")
    snapshot = get("/api/cases/box")[1]["snapshot"]
    content = get(f"/snapshots/{snapshot}")
    entries = send(player, "GET", "/stats/fairness")[1]["data"]["items"]

    run("cases", "retire", "box")
    run("irl", "retire", "desk")
    run("items", "retire", GUN)

    assert open_case("box", **request) == first
    assert get(f"/snapshots/{snapshot}") == content
    wait_until(lambda: [get(f"/bets/{entry['id']}")[0] for entry in entries] == [200, 200])
    assert send(player, "GET", "/prizes")[1]["data"]["total"] == 1
    assert run("fairness", "audit")["mismatches"] == 0
    assert run("ledger", "audit")["mismatches"] == 0


def test_retiring_again_prints_the_first_time_and_records_nothing(run):
    commands = (["items", "retire", GUN], ["cases", "retire", "Box"], ["irl", "retire", "desk"])
    first = [run(*command)["retiredAt"] for command in commands]

    assert [run(*command)["retiredAt"] for command in commands] == first

    run("cases", "restore", "Box")
    run("cases", "restore", "Box")
    recorded = [(event["what"], event["after"]) for event in run("audit", "export")[1:]]
    assert recorded[-4:] == [
        ("item.retired", {"item": GUN}),
        ("case.retired", {"case": "box"}),
        ("irl-case.retired", {"case": "desk"}),
        ("case.restored", {"case": "box"}),
    ]


def test_unknown_items_and_cases_cannot_be_retired(fails):
    commands = {
        ("items", "retire", "gun"): "item gun",
        ("cases", "retire", "Nothing"): "case Nothing",
        ("cases", "restore", "Nothing"): "case Nothing",
        ("irl", "retire", "Desk"): "case Desk",
    }

    said = {command: fails(*command) for command in commands}

    assert said == {command: f"Error: there is no {what}" for command, what in commands.items()}
