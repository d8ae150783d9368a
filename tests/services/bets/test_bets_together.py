"""Bets that come at the same time are written together, and each has its own end."""

import threading
from contextlib import closing

import peewee
import psycopg2
import pytest

from models.announced_seeds import AnnouncedSeed
from models.bets import Bet
from models.cases import Snapshot
from models.db.connection import database, reading, writing
from models.users import User
from services.bets import snapshots
from services.bets.snapshots import content_of
from services.bets.terms import SeedUsed
from services.shared.errors import AccountSuspended, InsufficientBalance
from tests.harness.spins import writer
from tests.harness.waiting import wait_until
from tests.support.locks import locked, waiting_for_locks
from tests.support.markers import postgresql_only, sqlite_only
from tests.support.settlements import MADE_AT, next_bet

pytestmark = pytest.mark.both_databases("services/bets/writer.py")

LOCK_PLAYER = "SELECT 1 FROM users WHERE id = %s FOR UPDATE"


@pytest.fixture
def players(new_player):
    found = [new_player(f"player-{number}") for number in range(4)]
    with writing():
        AnnouncedSeed.update(is_logged=True).execute()
    return found


@pytest.fixture
def write_together(app):
    """Writes bets that all wait for the same turn; gives the bet or the error of each."""
    app.extensions["services"].log.checkpoint()
    bets = writer(app.extensions["services"], lambda: MADE_AT)
    together = bets._batches
    outcomes = {}

    def write(place, settlement):
        try:
            outcomes[place] = bets.write(settlement)
        except Exception as error:  # noqa: BLE001  # looked at by the test
            outcomes[place] = error

    def start(*settlements):
        outcomes.clear()
        threads = [threading.Thread(target=write, args=each) for each in enumerate(settlements)]
        with together._turn.hold(timeout_seconds=None):
            for place, thread in enumerate(threads):
                thread.start()
                wait_until(lambda expected=place + 1: together._turn.waiting == expected)
        return threads, outcomes

    return start


@pytest.fixture
def ends_of(write_together):
    """The ends of bets that are written together, in their order."""

    def end(*settlements):
        threads, outcomes = write_together(*settlements)
        for thread in threads:
            thread.join()
        return [outcomes[place] for place in range(len(settlements))]

    return end


@reading()
def bets_of(*players):
    return [Bet.select().where(Bet.user == player.id).count() for player in players]


@pytest.mark.security("Coins")
def test_a_bet_that_is_refused_is_refused_alone(ends_of, players):
    first, poor, used, suspended = players
    with writing():
        User.update(suspended_at_ms=MADE_AT).where(User.id == suspended.id).execute()

    won, *refused = ends_of(
        next_bet(first),
        next_bet(poor, wager_cents=10_001, price_cents=20_000),
        next_bet(used, nonce=2),
        next_bet(suspended),
    )

    assert won.balances.balance_cents == 10_000 - 500 + 6_000
    assert [type(error) for error in refused] == [InsufficientBalance, SeedUsed, AccountSuspended]
    assert bets_of(*players) == [1, 0, 0, 0]


def test_a_request_id_that_was_used_fails_its_bet_alone(ends_of, players):
    first, again, *_ = players
    ends_of(next_bet(again, request_id="the same"))

    settled, failed = ends_of(next_bet(first), next_bet(again, request_id="the same"))

    assert isinstance(failed, peewee.IntegrityError)
    assert settled.balances.balance_cents == 15_500
    assert bets_of(first, again) == [1, 1]


def test_openings_of_a_new_content_store_it_once(ends_of, players):
    content = content_of(case_id="box", price_cents=500, items=[("An item", 300, 10**18)])
    opening = {
        "game": "case",
        "algorithm": "case-1",
        "wager_cents": 500,
        "payout_cents": 300,
        "status": "lost",
        "item": "An item",
        "ticket": 1,
        "case_id": 11,
        "ledger_kind": "opening",
        "snapshot_id": snapshots.id_of(content.hash),
        "snapshot_hash": content.hash,
        "snapshot_text": content.text,
    }

    settled = ends_of(*(next_bet(player, **opening) for player in players))

    assert [bet.balances.balance_cents for bet in settled] == [9_800] * len(players)
    with reading():
        assert Snapshot.select().count() == 1


@postgresql_only
def test_a_locked_player_delays_no_bet_of_another(write_together, players, database_url):
    stuck, *others = players
    with locked(database_url, LOCK_PLAYER, stuck.id):
        threads, outcomes = write_together(*map(next_bet, players))
        for thread in threads[1:]:
            thread.join()
        assert [bet.balances.balance_cents for bet in outcomes.values()] == [15_500] * len(others)
        assert bets_of(stuck) == [0]

    threads[0].join()
    assert outcomes[0].balances.balance_cents == 15_500


@postgresql_only
@pytest.mark.security("Coins")
@pytest.mark.parametrize(("left", "end"), [(499, 499), (500, 6_000)], ids=["refused", "won"])
def test_a_bet_that_has_waited_for_its_player_is_decided_on_the_new_balance(
    write_together, players, database_url, left, end
):
    (player, *_) = players
    with closing(psycopg2.connect(database_url)) as connection:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE users SET balance_cents = %s WHERE id = %s", [left, player.id])
        (thread,), outcomes = write_together(next_bet(player))
        wait_until(lambda: waiting_for_locks(database_url) == 1)
        connection.commit()
    thread.join()

    assert isinstance(outcomes[0], InsufficientBalance) == (end == left)
    with reading():
        assert User.get_by_id(player.id).balance_cents == end


def test_two_bets_of_a_player_are_never_taken_for_one(ends_of, players):
    (player, *_) = players

    ends = ends_of(next_bet(player, request_id="one"), next_bet(player, request_id="two"))

    assert sorted(type(end).__name__ for end in ends) == ["SeedUsed", "StoredBet"]
    assert bets_of(player) == [1]


@sqlite_only
def test_a_commit_that_fails_ends_no_bet_of_it(ends_of, players, monkeypatch):
    def fail(*_arguments):
        raise peewee.OperationalError("trouble")

    monkeypatch.setattr(database.obj, "commit", fail)
    ends = ends_of(*map(next_bet, players))

    assert [type(end) for end in ends] == [peewee.OperationalError] * len(players)
    assert bets_of(*players) == [0] * len(players)
    with reading():
        assert {user.balance_cents for user in User.select()} == {10_000}
