"""The lists of a player's bets, and the live bets, with battles among the others."""

import hashlib

import pytest

from models.db.connection import reading
from models.figures import LiveBetCount
from services.accounts import access
from tests.support.battles import Battles


@pytest.fixture
def battles(app):
    return Battles(app)


@pytest.fixture
def history(spin, battles, alice, bob):
    """Alice's bets, oldest first: b for a battle, s for a spin. Bob's first spins are not among them."""
    spin(bob)
    order = "bsbbssssbbbs"
    for number, kind in enumerate(order):
        if kind == "s":
            spin(alice, wager=2, price=10, wins=number == 5)
        else:
            battles.play(alice, bob, wins=number % 2)
    spin(bob)
    return [{"b": "battle", "s": "upgrader"}[kind] for kind in order]


@pytest.fixture
def pages(ask, alice):
    """All rows of a list, read in pages of this size."""

    def read(path, limit, key, **parameters):
        rows, number = [], 1
        while True:
            data = ask(path, alice, page=number, limit=limit, **parameters)["data"]
            rows += data[key]
            if number >= data["totalPages"]:
                return rows
            number += 1

    return read


@pytest.mark.both_databases("services/statistics/bet_order.py")
@pytest.mark.parametrize("limit", [1, 3, 5, 12])
def test_battles_are_listed_where_they_ended_in_pages_of_any_size(pages, history, limit):
    oldest_first = pages("games", limit, "games", sort="least-recent")

    assert [row["game"] for row in oldest_first] == history
    assert [int(row["id"]) for row in oldest_first] == sorted(int(row["id"]) for row in oldest_first)
    assert pages("games", limit, "games") == oldest_first[::-1]
    assert pages("games", limit, "games", search="at", sort="least-recent") == [
        row for row in oldest_first if row["game"] == "battle"
    ]
    # Of the games "battle", "upgrader" and "case", not "irl".
    assert pages("games", limit, "games", search="a") == oldest_first[::-1]
    assert pages("games", limit, "games", search="e", sort="least-recent") == oldest_first


def test_lists_by_earning_are_exact_reverses_with_battles_after_other_bets_of_equal_earning(pages, history):
    least = pages("games", 3, "games", sort="least-earned")

    assert pages("games", 3, "games", sort="most-earned") == least[::-1]
    assert [row["game"] for row in least if row["earning"] == 0] == ["upgrader"] * 5 + ["battle"] * 2


def test_a_battle_has_the_beacon_that_has_decided_it_and_no_nonce(ask, battles, alice, bob, spin):
    battle = battles.play(alice, bob)
    spin(alice)

    of_spin, of_battle = (item["pf"] for item in ask("fairness", alice)["data"]["items"])

    assert of_battle == {
        "serverSeedCommitment": hashlib.sha256(battle.server_seed.encode()).hexdigest(),
        "serverSeed": battle.server_seed,
        "clientSeed": "battle-0",
        "nonce": 0,
        "publicSeed": battle.randomness,
        "round": battle.round,
    }
    assert (of_spin["publicSeed"], of_spin["round"], of_spin["nonce"]) == ("", 0, 1)


@pytest.mark.both_databases("services/statistics/player_lists.py")
def test_a_search_finds_battles_by_seeds_and_never_by_a_number(ask, alice, history):
    def found(search, **parameters):
        data = ask("fairness", alice, search=search, limit=50, **parameters)["data"]
        assert data["total"] == len(data["items"])
        return [item["game"] for item in data["items"]]

    assert found("battle-0") == found("BATTLE", game="battle") == ["battle"] * 6
    assert found("battle-0", game="upgrader") == []
    assert found("seed") == ["upgrader"] * 6
    assert found("e", sort="least-recent") == history
    assert found("e") == history[::-1]
    assert found("-1", game="battle") == []


def test_live_bets_show_the_seats_of_players_from_the_end_on(ask, battles, alice, bob, clock):
    locked = battles.open(alice, None, bob, teams="1v1v1")
    assert ask("live-bets")["data"]["total"] == 0

    battles.settle(locked, wins=1)

    data = ask("live-bets")["data"]
    shown = [(bet["user"], bet["game"], bet["payout"], bet["case"], bet["caseName"]) for bet in data["bets"]]
    assert shown == [("bob", "battle", 0, None, None), ("alice", "battle", 0, None, None)]
    assert data["total"] == 2
    assert {bet["item"] for bet in data["bets"]} <= {"Dust", "Crown"}
    assert {bet["date"] for bet in data["bets"]} == {clock()}


@pytest.mark.both_databases("models/battles.py")
def test_a_suspended_player_s_seat_is_not_among_the_live_bets(ask, battles, alice, bob, clock, run):
    locked = battles.open(alice, bob)
    access.suspend(user_id=alice.id, now=clock())

    battles.settle(locked)

    assert [bet["user"] for bet in ask("live-bets")["data"]["bets"]] == ["bob"]
    with reading():
        assert sum(row.bets for row in LiveBetCount.select()) == 1
    access.resume(user_id=alice.id, now=clock())
    assert ask("live-bets")["data"]["total"] == 2
    assert run("ledger", "audit")["mismatches"] == 0


def test_the_totals_count_a_battle_when_it_is_settled(ask, battles, alice, bob):
    locked = battles.open(alice, bob)
    battles.void(battles.open(alice, bob))
    assert ask("profile", alice)["wagerAmount"] == 0

    battles.settle(locked)

    cost = locked.cost_cents / 100
    totals = ask("profile", alice)
    assert totals["wagerAmount"] == cost
    assert totals["earningAmount"] > 0
    assert ask("profile", bob)["wagerAmount"] == cost
