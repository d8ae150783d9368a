"""flask fairness audit: recomputes openings of cases from their seeds and snapshots."""

import hashlib

import pytest

from models.bets import Bet
from models.cases import Snapshot
from models.db.connection import database, writing
from models.users import User
from services.cases.kinds import FREE_CASE_ID
from tests.support.openings import Openings, chest
from tests.support.table import Table


@pytest.fixture
def openings(app):
    return Openings(app)


@pytest.fixture
def history(app, openings, player):
    """A spin that wins 10 coins, two openings that pay 1 and 40, and a free one that pays 40."""
    with writing():
        User.update(used_affiliate_code="FRIEND").execute()
    Table(app).spin(player, wager=1, wins=True)
    openings.open(player)
    openings.open(player, game="irl", wins="Crown")
    openings.open(player, chest(FREE_CASE_ID), wins="Crown")


@pytest.mark.both_databases("services/maintenance/fairness.py")
@pytest.mark.usefixtures("history")
def test_free_openings_are_counted_apart_from_the_report(run):
    assert run("fairness", "audit") == {
        "bets": 4,
        "freeBets": 1,
        "mismatches": 0,
        "wagered": 11,
        "paid": 51,
        "freePaid": 40,
        "returnToPlayer": pytest.approx(51 / 11),
    }
    report = run("fairness", "report")

    # The spin: a chance of 9.5 % of 10 coins. Each opening: 90 % of 1 coin and 10 % of 40.
    assert (report["bets"], report["wagered"], report["paid"]) == (3, 11, 51)
    assert report["expectedReturn"] == pytest.approx((0.95 + 4.9 + 4.9) / 11)
    variance = 0.095 * 0.905 * 100 + 2 * (0.9 + 0.1 * 1600 - 4.9**2)
    assert report["standardError"] == pytest.approx(variance**0.5 / 11)
    assert report["deviations"] == pytest.approx((51 - 0.95 - 4.9 - 4.9) / variance**0.5)
    assert report["returnToPlayer"] == pytest.approx(51 / 11)


SPOILED = {
    "the stored ticket is wrong": {"ticket": Bet.ticket + 1},
    "the stored item is wrong": {"item": "Crown"},
    "the stored payout is wrong": {"payout_cents": Bet.payout_cents + 1},
    "the stored wager is wrong": {"wager_cents": Bet.wager_cents + 1},
    "the seed does not hash to its commitment": {"server_seed_commitment": "0" * 64},
    "the algorithm is not that of the game": {"algorithm": "irl-1"},
}


def test_each_changed_part_of_an_opening_is_reported(openings, player, fails):
    bet = openings.bet(player)
    for problem, change in SPOILED.items():
        with writing(), database.atomic() as transaction:
            Bet.update(change).execute()
            lines = fails("fairness", "audit").splitlines()
            transaction.rollback()

        assert lines == [f"bet {bet.id}: {problem}", "Error: 1 mismatches"]
    with writing():
        Bet.update(encrypted_server_seed="of a lost key").execute()
    assert f"bet {bet.id}: the seed does not hash to its commitment" in fails("fairness", "audit")


def test_a_changed_snapshot_is_reported(openings, player, fails):
    """Also if it has the hash of its text, but that is not canonical."""
    bet = openings.bet(player)
    own, spaced = chest().hash, chest().text.replace(",", ", ")
    of_spaced = hashlib.sha256(spaced.encode()).hexdigest()
    for content, hash_ in ((chest(price=9).text, own), ("{", own), (spaced, of_spaced)):
        with writing():
            Snapshot.update(content=content, hash=hash_).execute()

        assert f"bet {bet.id}: the snapshot differs from its hash" in fails("fairness", "audit")
        assert fails("fairness", "report") == f"Error: the snapshot {hash_} differs from its hash"


def test_an_opening_with_the_snapshot_of_another_case_is_reported(openings, player, fails):
    bet, other = openings.bet(player), chest("another", price=9)
    with writing():
        Snapshot.insert(id=1, hash=other.hash, content=other.text).execute()
        Bet.update(snapshot=1).execute()

    assert f"bet {bet.id}: the stored wager is wrong" in fails("fairness", "audit")


def test_openings_without_chance_have_no_deviation_and_free_ones_no_return(openings, player, run):
    with writing():
        User.update(used_affiliate_code="FRIEND").execute()
    openings.open(player, chest(FREE_CASE_ID))
    assert run("fairness", "audit")["returnToPlayer"] is None
    assert run("fairness", "report")["bets"] == 0

    openings.open(player, chest(price=2, items=(("Dust", 1, 100), ("Crown", 40, 0))))

    report = run("fairness", "report")
    assert (report["expectedReturn"], report["standardError"], report["deviations"]) == (0.5, 0, 0)
