"""GET /stats/case-activity: who has opened a case last, and its best drops."""

import pytest

from services.cases import retiring
from tests.blueprints.stats.conftest import NOW, PROOF_DELAY_MS
from tests.harness.players import import_case, import_prices
from tests.support.apps import import_irl_case
from tests.support.openings import Openings, chest

NOT_FOUND = {"error": "Case not found"}


@pytest.fixture
def case(app):
    """A case of Dust and Crown, whose openings cost 5 coins and pay 1 or 40."""
    import_prices({"Dust": 1, "Crown": 40}, image="https://images.example.com/x.png", now=NOW)
    import_case("Chest", {"Dust": 90, "Crown": 10}, now=NOW)


@pytest.fixture
def open_case(app, case):
    """Opens the case, or another one: ``open_case(player, wins="Dust")``."""
    return Openings(app).bet


def payouts(bets):
    return [bet["payout"] for bet in bets]


def test_openings_are_shown_when_they_are_over(ask, open_case, alice, clock):
    assert ask("case-activity", case="chest") == {"success": True, "data": {"last": [], "best": []}}
    bet = open_case(alice, wins="Crown")
    clock.advance(ms=PROOF_DELAY_MS - 1)
    before = ask("case-activity", case="chest")["data"]
    clock.advance(ms=1)

    after = ask("case-activity", case="chest")["data"]

    assert before == {"last": [], "best": []}
    assert after["last"] == after["best"] == ask("live-bets")["data"]["bets"]
    assert after["last"] == [
        {
            "id": str(bet.id),
            "game": "case",
            "pfp": "http://127.0.0.1:5000/media/neutral/avatar.webp",
            "user": "alice",
            "wager": 5,
            "multiplier": 8,
            "payout": 40,
            "date": NOW + PROOF_DELAY_MS,
            "item": "Crown",
            "image": "https://images.example.com/x.png",
            "case": "chest",
            "caseName": "Chest",
        }
    ]


@pytest.mark.both_databases("services/bets/live_bets.py")
def test_the_ten_last_and_the_ten_best_openings_are_shown(ask, open_case, alice, bob, clock):
    for number in range(12):
        clock.advance(ms=1)
        open_case(alice, chest(items=[("Dust", 1, 90), ("Crown", 100 - number, 10)]), wins="Crown")
    clock.advance(ms=1)
    open_case(bob)
    clock.advance(ms=PROOF_DELAY_MS)

    activity = ask("case-activity", case="chest")["data"]

    assert [bet["user"] for bet in activity["last"]] == ["bob"] + 9 * ["alice"]
    assert payouts(activity["last"]) == [1, *range(89, 98)]
    # What paid less than the case costs is no drop to show.
    assert payouts(activity["best"]) == [*range(100, 90, -1)]


def test_a_case_shows_only_its_own_openings(ask, open_case, alice, clock):
    import_case("Other", {"Crown": 100}, now=NOW)
    import_irl_case("chest", price=5)
    open_case(alice)
    open_case(alice, chest("other", items=[("Crown", 40, 100)]), wins="Crown")
    open_case(alice, chest(items=[("Lamp", 3, 100)]), game="irl", wins="Lamp", image="/media/items/lamp.webp")
    clock.advance(ms=PROOF_DELAY_MS)

    shown = {
        (game, case): [
            (bet["item"], bet["case"], bet["caseName"])
            for bet in ask("case-activity", game=game, case=case)["data"]["last"]
        ]
        for game, case in (("case", "chest"), ("case", "other"), ("irl", "chest"))
    }

    assert shown == {
        ("case", "chest"): [("Dust", "chest", "Chest")],
        ("case", "other"): [("Crown", "other", "Other")],
        ("irl", "chest"): [("Lamp", "chest", "Desk")],
    }
    (prize,) = ask("case-activity", game="irl", case="chest")["data"]["last"]
    assert prize["image"] == "http://127.0.0.1:5000/media/items/lamp.webp"


def test_a_case_that_is_not_on_sale_has_no_activity(client, case):
    retiring.retire_case(name="chest", now=NOW)

    for query in ("case=chest", "case=none", "case=chest&game=irl"):
        answer = client.get(f"/stats/case-activity?{query}")

        assert (answer.status_code, answer.json) == (404, NOT_FOUND), query
    assert client.get("/stats/case-activity").json == {"error": "case: is required"}
    assert client.get("/stats/case-activity?case=x&game=upgrader").json == {
        "error": "game: must be one of case, irl"
    }


def test_openings_of_suspended_players_are_not_shown(ask, open_case, alice, bob, clock, run):
    open_case(alice, wins="Crown")
    open_case(bob, wins="Crown")
    clock.advance(ms=PROOF_DELAY_MS)

    run("users", "suspend", bob.platform_id)

    shown = ask("case-activity", case="chest")["data"]
    assert [[bet["user"] for bet in shown[name]] for name in ("last", "best")] == [["alice"], ["alice"]]
