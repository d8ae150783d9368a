"""Battles over HTTP."""

import hashlib

import pytest

from models.cases import Case
from models.db.connection import writing
from tests.blueprints.battles.conftest import CHEAP, DEAR, PICTURE, PRICE

pytestmark = pytest.mark.both_databases("services/battles/queries.py")

OF_LATER_STATES = {"lockedAt", "round", "entry", "serverSeed", "drawn", "reason", "signature"}


def ids(client, **query):
    return [battle["id"] for battle in client.get("/battles", query_string=query).json["battles"]]


class TestOneBattle:
    def test_it_has_all_of_its_seats(self, create, player, case):
        battle = create(clientSeed="my-seed")

        taken, free = battle["seats"]
        assert taken == {
            "seat": 0,
            "team": 0,
            "bot": False,
            "player": {"username": player.username, "avatar": taken["player"]["avatar"]},
            "clientSeed": "my-seed",
        }
        assert free == {"seat": 1, "team": 1, "bot": False, "player": None, "clientSeed": None}
        [held] = battle["cases"]
        assert (held["id"], held["name"], held["price"], held["image"]) == (case, "Box", PRICE, PICTURE)
        assert (battle["state"], battle["version"], battle["cost"]) == ("open", 1, PRICE)

    def test_a_case_with_a_picture_of_its_own_is_shown_with_it(self, create, case):
        with writing():
            Case.update(image="/media/cases/box.webp").where(Case.slug == case).execute()

        assert create()["cases"][0]["image"] == "http://127.0.0.1:5000/media/cases/box.webp"

    def test_it_is_shown_to_everybody_without_the_fields_of_later_states(self, create, client):
        battle = create(private=True)

        assert client.get(f"/battles/{battle['id']}").json == battle
        assert battle["private"]
        assert not OF_LATER_STATES & battle.keys()

    def test_a_case_that_is_opened_twice_is_there_twice(self, create, case):
        battle = create(cases=[{"case": case, "count": 2}], price=2 * PRICE)

        assert [held["id"] for held in battle["cases"]] == [case, case]

    def test_the_last_seat_locks_it(self, create, join):
        locked = join(create())

        assert (locked["state"], locked["entry"]) == ("locked", None)
        assert locked["round"] > 0
        assert not {"serverSeed", "drawn"} & locked.keys()

    def test_a_bot_has_a_seed_and_no_player(self, create, send, player):
        battle = create(teams="1v1v1")

        status, battle = send(player, "POST", f"/battles/{battle['id']}/bots", {"seat": 2})

        assert status == 200
        assert battle["seats"][2] == {
            "seat": 2,
            "team": 2,
            "bot": True,
            "player": None,
            "clientSeed": "bot-2",
        }

    def test_a_settled_one_tells_who_drew_what_and_who_won(self, create, join, settle):
        open_ = create()

        battle = settle(join(open_))

        assert battle["state"] == "settled"
        assert hashlib.sha256(battle["serverSeed"].encode()).hexdigest() == open_["serverSeedCommitment"]
        drawn = [item for [item] in battle["drawn"]]
        prices = {DEAR: 54.75, CHEAP: 5}
        assert [item["price"] for item in drawn] == [prices[item["item"]] for item in drawn]
        assert all(int(item["ticket"]) < 10**18 for item in drawn)
        assert battle["values"] == [item["price"] for item in drawn]
        [winner] = battle["winners"]
        assert battle["payouts"][winner] == sum(battle["values"])
        assert battle["payouts"][1 - winner] == 0
        assert battle["tie"] == ([0, 1] if battle["values"][0] == battle["values"][1] else None)
        assert battle["entry"] is not None
        assert not {"reason"} & battle.keys()

    def test_a_void_one_tells_why_and_reveals_its_seed(self, create, join, void):
        open_ = create()

        battle = void(join(open_))

        assert (battle["state"], battle["reason"]) == ("void", "late")
        assert hashlib.sha256(battle["serverSeed"].encode()).hexdigest() == open_["serverSeedCommitment"]
        assert not {"drawn", "signature", "payouts"} & battle.keys()

    def test_one_whose_creator_leaves_is_cancelled_without_its_seed(self, create, send, player, client):
        battle = create()

        status, cancelled = send(player, "POST", f"/battles/{battle['id']}/leave")

        assert (status, cancelled["state"]) == (200, "cancelled")
        assert cancelled["version"] > battle["version"]
        assert not OF_LATER_STATES & cancelled.keys()

    def test_an_unknown_id_is_not_found(self, client):
        answer = client.get("/battles/AAAAAAAAAAAAAAAAAAAAAA")

        assert (answer.status_code, answer.json) == (404, {"error": "Battle not found"})


class TestLists:
    def test_they_have_the_public_battles_of_a_state_newest_first(self, create, join, settle, client):
        first, second = create(), create()
        create(private=True)
        settled, running = join(create()), join(create())
        settle(settled)

        assert ids(client) == [second["id"], first["id"]]
        assert ids(client, state="open", limit=1, page=2) == [first["id"]]
        assert ids(client, state="running") == [running["id"]]
        assert ids(client, state="finished") == [settled["id"]]

    def test_they_have_the_short_form(self, create, case, client):
        battle = create(cases=[{"case": case, "count": 4}], price=4 * PRICE, crazy=True)

        answer = client.get("/battles").json

        assert answer["battles"] == [
            {
                "id": battle["id"],
                "state": "open",
                "version": 1,
                "mode": "normal",
                "crazy": True,
                "terminal": False,
                "teams": "1v1",
                "cost": 4 * PRICE,
                "caseCount": 4,
                "firstCases": 3 * [{"name": "Box", "image": PICTURE}],
                "seatsTaken": 1,
                "createdAt": battle["createdAt"],
            }
        ]
        assert answer["pagination"]["totalItems"] == 1

    def test_it_is_filtered_by_mode_and_by_the_price_of_a_seat(self, create, client):
        for mode, count in (("normal", 1), ("normal", 3), ("jackpot", 2)):
            create(mode=mode, cases=[{"case": "box", "count": count}], price=count * PRICE)

        def listed(**query):
            return [
                battle["caseCount"] for battle in client.get("/battles", query_string=query).json["battles"]
            ]

        assert listed(mode="normal") == [3, 1]
        assert listed(minPrice=2 * PRICE) == [2, 3]
        assert listed(mode="all", minPrice=PRICE + 0.01, maxPrice=2 * PRICE) == [2]
        assert listed(mode="shared") == []

    @pytest.mark.parametrize(
        "query",
        [{"state": "cancelled"}, {"limit": 101}, {"page": 0}, {"mode": "crazy"}, {"minPrice": "much"}],
    )
    def test_other_parameters_are_refused(self, client, query):
        assert client.get("/battles", query_string=query).status_code == 400


@pytest.mark.parametrize(
    "changes",
    [
        {"price": None},
        {"price": "10.5"},
        {"price": True},
        {"cases": {"box": 1}},
        {"cases": []},
        {"cases": [{"case": "box", "count": 51}]},
        {"mode": "solo"},
        {"mode": ["normal"]},
        {"teams": "1v2"},
        {"crazy": 1},
        {"mode": "shared", "terminal": True},
    ],
)
def test_a_battle_without_a_valid_shape_is_refused(send, player, new_battle, changes):
    assert send(player, "POST", "/battles", new_battle(**changes)) == (400, {"error": "Invalid battle"})


def test_a_null_is_a_key_left_out(create):
    left_out = dict.fromkeys(("crazy", "terminal", "playersOnly", "private", "clientSeed", "requestId"))

    battle = create(**left_out)

    assert not battle["crazy"] | battle["terminal"] | battle["playersOnly"] | battle["private"]


@pytest.mark.parametrize("body", [{"price": PRICE}, {"seat": 1}, {"seat": "1", "price": PRICE}])
def test_a_seat_without_a_valid_shape_is_refused(create, send, bob, body):
    battle = create()

    answer = send(bob, "POST", f"/battles/{battle['id']}/join", body)

    assert answer == (400, {"error": "Invalid battle"})


def test_a_repeated_request_is_answered_with_the_battle_as_it_is_now(create, join, balance, player):
    battle = create(requestId="once")
    join(battle)

    again = create(requestId="once")

    assert (again["id"], again["state"]) == (battle["id"], "locked")
    assert balance(player) == 100 - PRICE


@pytest.mark.parametrize("path", ["", "/x/join", "/x/leave", "/x/bots"])
def test_changes_need_a_token(client, path):
    assert client.post(f"/battles{path}", json={}).status_code == 401


def test_the_rules_have_the_limits_and_the_network(client, services):
    rules = client.get("/battles/rules").json

    assert rules["modes"] == ["normal", "jackpot", "shared"]
    assert "2v2v2" in rules["teams"]
    assert (rules["maxCases"], rules["maxCost"], rules["maxPot"]) == (50, 10_000, 250_000)
    assert rules["beacon"] == services.beacons.info()
    assert rules["demo"] is True


def test_the_statistics_count_the_seats_of_bots(create, send, services, player, settle, client):
    battle = create()
    services.beacons.ask_all()
    _, locked = send(player, "POST", f"/battles/{battle['id']}/bots", {"seat": 1})
    settled = settle(locked)

    won = int(settled["winners"] == [1])
    assert client.get("/battles/stats").json == {"bots": {"seats": 1, "wins": won, "expected": 0.5}}


def test_pages_of_any_origin_may_read_a_battle_and_the_rules(create, client):
    battle = create()

    def allowed(path):
        answer = client.get(path, headers={"Origin": "https://verifier.example.net"})
        return answer.headers.get("Access-Control-Allow-Origin")

    assert allowed(f"/battles/{battle['id']}") == allowed("/battles/rules") == "*"
    assert allowed("/battles") is None


class TestReceipts:
    def test_a_player_gets_the_proof_of_the_lock(self, create, join, services, send, bob):
        battle = join(create())
        services.log.append_now()
        services.log.decide_locks()

        status, receipt = send(bob, "GET", f"/battles/{battle['id']}/receipt")

        assert (status, receipt["battle"]) == (200, battle["id"])
        assert receipt["proof"].startswith("c2sp.org/tlog-proof@v1\nextra ")

    def test_there_is_none_before_the_lock_is_in_the_log(self, create, join, send, bob):
        battle = join(create())

        status, answer = send(bob, "GET", f"/battles/{battle['id']}/receipt")

        assert (status, answer) == (404, {"error": "Receipt not found"})

    def test_others_get_none(self, create, send, bob):
        battle = create()

        status, answer = send(bob, "GET", f"/battles/{battle['id']}/receipt")

        assert (status, answer) == (400, {"error": "You have no seat"})


class TestLimits:
    @pytest.fixture
    def app(self, make_app):
        return make_app(RATELIMIT_ENABLED="1", timer=lambda: 0.0)

    def test_a_player_changes_battles_as_often_as_bets_are_allowed(self, send, player):
        statuses = [send(player, "POST", "/battles/x/leave")[0] for _ in range(31)]

        assert statuses == 30 * [404] + [429]


@pytest.mark.settings(BEACON_URLS="")
class TestWithoutBeacons:
    def test_no_battle_can_be_created(self, send, player, new_battle):
        answer = send(player, "POST", "/battles", new_battle())

        assert answer == (501, {"error": "Battles are not offered"})

    @pytest.mark.parametrize("path", ["/battles", "/battles/rules", "/battles/stats"])
    def test_there_is_nothing_to_list(self, client, path):
        assert client.get(path).status_code == 501
