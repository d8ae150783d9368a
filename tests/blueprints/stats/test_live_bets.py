"""GET /stats/live-bets: the finished bets of all players."""

import pytest

from services.accounts import access
from tests.blueprints.stats.conftest import NOW, PROOF_DELAY_MS

HIGH = {
    "50 coins lost": ("50", 100, False),
    "50 coins won": ("50", 100, True),
    "more coins": ("60", 100, False),
    "ten times": ("1", 10, True),
    "a hundred times": ("1", 100, True),
    "just above ten times": ("1.99", 20, True),
    "ten times of many": ("100", 1000, True),
}
LOW = {
    "a cent less than 50 coins": ("49.99", 100, True),
    "a hundred times, lost": ("1", 100, False),
    "just below ten times": ("1.01", 10, True),
    "a hair below ten times": ("2.01", 20, True),
}


def test_a_finished_bet_is_public(ask, spin, alice, clock):
    assert ask("live-bets") == {
        "success": True,
        "data": {"bets": [], "total": 0, "totalPages": 0, "currentPage": 1},
        "hasMore": False,
    }
    bet = spin(alice, wager=3, wins=True)
    clock.advance(ms=PROOF_DELAY_MS)

    assert ask("live-bets")["data"]["bets"] == [
        {
            "id": str(bet.id),
            "game": "upgrader",
            "pfp": "http://127.0.0.1:5000/media/neutral/avatar.webp",
            "user": "alice",
            "wager": 3,
            "multiplier": 3.33,
            "payout": 10,
            "date": NOW + PROOF_DELAY_MS,
            "item": bet.item,
            "image": "http://127.0.0.1:5000/media/neutral/item.webp",
            "case": None,
            "caseName": None,
        }
    ]


def test_an_unfinished_bet_is_neither_shown_nor_counted(ask, spin, alice, bob, clock):
    spin(alice, wager=50, price=100)
    clock.advance(ms=1000)
    spin(bob, wager=60, price=100)
    clock.advance(ms=PROOF_DELAY_MS - 1001)

    totals = []
    for ms in (0, 1, 999, 1):
        clock.advance(ms=ms)
        totals.append([ask("live-bets", type=kind)["data"]["total"] for kind in ("live-bets", "high-rolls")])

    assert totals == [[0, 0], [1, 1], [1, 1], [2, 2]]


@pytest.fixture
def live(ask):
    """The wagers of a page, newest first."""

    def wagers(**parameters):
        return [bet["wager"] for bet in ask("live-bets", **parameters)["data"]["bets"]]

    return wagers


def test_the_newest_bet_comes_first(spin, alice, bob, clock, live):
    for player, wager in ((alice, 1), (bob, 2), (alice, 3)):
        spin(player, wager=wager)
        clock.advance(ms=1)
    spin(bob, wager=4)
    spin(alice, wager=5)
    clock.advance(ms=PROOF_DELAY_MS)

    assert live() == live(type="live-bets") == [5, 4, 3, 2, 1]


@pytest.mark.both_databases("services/bets/live_bets.py")
def test_high_rolls_have_wager_50_or_multiplier_10(ask, spin, alice, clock):
    def listed():
        return {bet["id"] for bet in ask("live-bets", type="high-rolls", limit=100)["data"]["bets"]}

    high = {
        name: str(spin(alice, wager=wager, price=price, wins=wins).id)
        for name, (wager, price, wins) in HIGH.items()
    }
    low = {
        name: str(spin(alice, wager=wager, price=price, wins=wins).id)
        for name, (wager, price, wins) in LOW.items()
    }
    clock.advance(ms=PROOF_DELAY_MS)

    assert [name for name, bet_id in high.items() if bet_id not in listed()] == []
    assert [name for name, bet_id in low.items() if bet_id in listed()] == []
    assert ask("live-bets", type="high-rolls")["data"]["total"] == len(HIGH)
    assert ask("live-bets")["data"]["total"] == len(HIGH) + len(LOW)


@pytest.fixture
def suspend(app):
    """Suspends a player, or ends that, in this process."""

    def change(player, *, ends=False):
        (access.resume if ends else access.suspend)(user_id=player.id, now=NOW)

    return change


@pytest.mark.both_databases("services/accounts/access.py")
@pytest.mark.security("Suspension")
def test_bets_of_suspended_players_are_neither_listed_nor_counted(
    ask, spin, suspend, alice, bob, clock, live, run
):
    for wager in (1, 60, 2):
        spin(alice, wager=wager, price=100)
    for wager in (3, 70, 80):
        spin(bob, wager=wager, price=100)
    clock.advance(ms=PROOF_DELAY_MS)
    spin(bob, wager=90, price=100)
    assert (live(), live(type="high-rolls")) == ([80, 70, 3, 2, 60, 1], [80, 70, 60])

    suspend(bob)

    assert (live(), live(type="high-rolls")) == ([2, 60, 1], [60])
    assert [ask("live-bets", type=kind)["data"]["total"] for kind in ("live-bets", "high-rolls")] == [3, 1]
    assert live(page=2, limit=2) == [1]
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.security("Suspension")
def test_bets_are_shown_again_when_the_suspension_ends(ask, spin, suspend, alice, clock, live, run):
    spin(alice, wager=60, price=100)
    clock.advance(ms=PROOF_DELAY_MS)
    suspend(alice)
    suspend(alice)
    run("ledger", "rebuild")
    assert live() == []

    suspend(alice, ends=True)

    assert (live(), live(type="high-rolls")) == ([60], [60])
    assert run("ledger", "audit")["mismatches"] == 0
