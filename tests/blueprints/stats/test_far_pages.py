"""Far pages of live bets begin at marks, and have the bets that they have without."""

import random

import pytest

from models.bets import HIGH_ROLL, Bet
from models.db.connection import reading
from models.users import User
from services.accounts import access
from services.bets import live_pages
from tests.blueprints.stats.conftest import PROOF_DELAY_MS
from tests.support.statements import recorded_statements

KINDS = ("live-bets", "high-rolls")


@pytest.fixture
def small_steps(monkeypatch):
    """Pages are far if three bets are newer, and three older."""
    monkeypatch.setattr(live_pages, "STEP", 3)


@pytest.fixture
def listed(ask):
    """The ids of the bets of a page."""

    def ids(kind, page, limit):
        data = ask("live-bets", type=kind, page=page, limit=limit)["data"]
        return data["total"], [int(bet["id"]) for bet in data["bets"]]

    return ids


@reading()
def plain(kind, page, limit, *, now):
    """The number of all bets, and the ids of those of a page, without counts and marks."""
    query = Bet.select(Bet.id).join(User).where(User.suspended_at_ms.is_null(), Bet.proof_due_at_ms <= now)
    if kind == "high-rolls":
        query = query.where(HIGH_ROLL)
    newest_first = query.order_by(Bet.proof_due_at_ms.desc(), Bet.id.desc())
    return query.count(), list(newest_first.paginate(page, limit).scalars())


@pytest.mark.both_databases("services/bets/live_pages.py")
@pytest.mark.parametrize("seed", range(3))
def test_each_page_has_the_bets_that_a_plain_query_finds(
    small_steps, listed, spin, alice, bob, new_player, clock, seed
):
    """While bets are made, players are suspended and shown again, and the clock is set back."""
    drawn = random.Random(seed)
    players = [alice, bob, new_player("carol", coins=100_000)]
    suspended = []
    for _ in range(120):
        if drawn.random() < 0.1 and len(suspended) < 2:
            suspended.append(players.pop(drawn.randrange(len(players))))
            access.suspend(user_id=suspended[-1].id, now=clock())
        elif drawn.random() < 0.1 and suspended:
            players.append(suspended.pop())
            access.resume(user_id=players[-1].id, now=clock())
        clock.advance(ms=drawn.choice((0, 1, 500, PROOF_DELAY_MS, 2 * PROOF_DELAY_MS, -2000)))
        spin(drawn.choice(players), wager=drawn.choice((1, 60)), price=100)
        page, limit = drawn.randint(1, 12), drawn.randint(1, 6)

        for kind in KINDS:
            assert listed(kind, page, limit) == plain(kind, page, limit, now=clock())


def test_a_bet_that_is_written_late_moves_the_marks(small_steps, listed, spin, alice, clock):
    for _ in range(20):
        spin(alice)
        clock.advance(ms=1000)
    clock.advance(ms=PROOF_DELAY_MS)
    listed("live-bets", 5, 2)
    clock.advance(ms=-18_000)
    late = spin(alice)
    clock.advance(ms=18_000)

    pages = [listed("live-bets", page, 2) for page in range(1, 12)]

    assert pages == [plain("live-bets", page, 2, now=clock()) for page in range(1, 12)]
    assert [late.id in ids for _total, ids in pages].index(True) > 3


def test_the_way_to_a_far_page_is_skipped_once(small_steps, listed, spin, alice, clock):
    for _ in range(40):
        spin(alice)
    clock.advance(ms=PROOF_DELAY_MS)

    def skips(page):
        with recorded_statements() as seen:
            listed("live-bets", page, 1)
        return sum("OFFSET" in sql for sql, _parameters in seen)

    assert skips(20) > 5
    # One to check the marks, one to the page.
    assert [skips(page) for page in (19, 21, 18)] == [2, 2, 2]


@pytest.mark.security("Suspension")
def test_far_pages_are_right_when_another_player_is_suspended_instead(
    small_steps, listed, spin, alice, bob, new_player, clock
):
    """Both have as many bets, so that all counts stay the same."""
    for player in (alice, bob, new_player("carol", coins=100_000)):
        for _ in range(10):
            spin(player)
    clock.advance(ms=PROOF_DELAY_MS)
    pages = range(1, 8)

    for suspended, other in ((alice, bob), (bob, alice)):
        access.resume(user_id=other.id, now=clock())
        access.suspend(user_id=suspended.id, now=clock())
        for page in pages:
            assert listed("live-bets", page, 3) == plain("live-bets", page, 3, now=clock())
