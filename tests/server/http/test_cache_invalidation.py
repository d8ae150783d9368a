"""Cached responses are never stale, or for a second when another process changes their data."""

import pytest

from blueprints.api import caching
from models.db.connection import UNAVAILABLE, database, writing
from models.users import User
from services.accounts import personal_details
from services.shared.clock import now_ms
from services.statistics import leaderboard
from tests.harness.players import import_case
from tests.harness.spins import Clock, at
from tests.harness.waiting import wait_until
from tests.support.money.interruptions import Fuse, InterruptionKind, Moment
from tests.support.table import Table

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY="6")

BOARD, LIVE, CASE = "/leaderboard", "/stats/live-bets", "/api/cases/case"
PROOF_DELAY_MS = 6000
ITEM = "Item of 10"


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 12:00"))


@pytest.fixture
def spin(app):
    """Plays one spin: ``spin(player, wager="1")``."""
    return Table(app).spin


@pytest.fixture
def alice(new_player):
    return new_player("alice")


def names_on(client, path=BOARD):
    shown = client.get(path).json
    return (
        [entry["username"] for entry in shown]
        if path == BOARD
        else [bet["user"] for bet in shown["data"]["bets"]]
    )


def test_a_cached_response_needs_no_database(client, spin, alice, clock, queries, monkeypatch):
    monkeypatch.setattr(caching, "MAX_SECONDS", 60.0)
    spin(alice)
    import_case("Case", {ITEM: 100})
    clock.advance(ms=PROOF_DELAY_MS)
    for path in (BOARD, LIVE, CASE):
        client.get(path)
        queries.clear()

        assert client.get(path).status_code == 200
        assert queries == []


def test_a_new_username_shows_at_once(client, spin, alice, clock):
    spin(alice)
    clock.advance(ms=PROOF_DELAY_MS)
    before = names_on(client), names_on(client, LIVE)

    personal_details.change(user_id=alice.id, username="carol", details={}, now=now_ms())

    assert before == (["ali***"], ["alice"])
    assert (names_on(client), names_on(client, LIVE)) == (["car***"], ["carol"])


def test_a_bet_shows_at_once_after_a_lost_commit_answer(app, client, spin, alice, new_player):
    # The first bet of all also commits what it needs, and so does a player's first use of a seed.
    spin(alice)
    before = names_on(client)
    carol, fuse = new_player("carol"), Fuse()
    app.extensions["services"].seeds.load(user_id=carol.id)
    fuse.install(database.obj)

    fuse.arm(InterruptionKind.LOST, Moment(None, after=True))
    with pytest.raises(UNAVAILABLE):
        spin(carol)
    fuse.disarm()

    assert (before, names_on(client)) == (["ali***"], ["ali***", "car***"])


@pytest.mark.parametrize(
    ("period", "last"), [("weekly", "2026-03-22 23:59:59.999"), ("monthly", "2026-03-31 23:59:59.999")]
)
def test_the_leaderboard_is_empty_when_its_period_ends(client, spin, alice, clock, period, last):
    spin(alice)
    clock.now = at(last)
    before = client.get(f"{BOARD}?period={period}").json

    clock.advance(ms=1)

    assert (len(before), client.get(f"{BOARD}?period={period}").json) == (1, [])


def test_a_change_during_the_build_shows_in_the_next_response(client, spin, alice, monkeypatch):
    spin(alice)
    read = leaderboard.top

    def read_and_then_spin(**options):
        found = read(**options)
        monkeypatch.setattr(leaderboard, "top", read)
        spin(alice, wager=2)
        return found

    monkeypatch.setattr(leaderboard, "top", read_and_then_spin)

    made_meanwhile = client.get(BOARD).json[0]["wager"]

    assert (made_meanwhile, client.get(BOARD).json[0]["wager"]) == (1, 3)


def test_a_change_that_invalidates_nothing_shows_soon(client, spin, alice, monkeypatch):
    monkeypatch.setattr(caching, "MAX_SECONDS", 0.1)
    spin(alice)
    assert names_on(client) == ["ali***"]

    with writing():
        User.update(username="carol").execute()

    wait_until(lambda: names_on(client) == ["car***"])
