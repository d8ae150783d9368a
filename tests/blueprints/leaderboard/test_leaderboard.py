"""GET /leaderboard and /leaderboard/me: the highest wagers since Monday, or since the 1st."""

import pytest

from models.db.connection import writing
from models.users import User
from services.accounts import access
from services.statistics import leaderboard
from tests.harness.spins import Clock, at
from tests.support.table import Table


@pytest.fixture
def clock():
    return Clock(at("2026-03-18 12:00"))


@pytest.fixture
def spin(app):
    """Plays one spin: ``spin(player, wager="1")``."""
    return Table(app).spin


@pytest.fixture
def board(client):
    """The names on the leaderboard, with their wagers."""

    def shown(**parameters):
        answer = client.get("/leaderboard", query_string=parameters)
        assert answer.status_code == 200, answer.text
        return [(entry["username"], entry["wager"]) for entry in answer.json]

    return shown


@pytest.fixture
def own_row(client):
    """A player's own row of the leaderboard."""

    def shown(player, **parameters):
        answer = client.get("/leaderboard/me", query_string=parameters, headers=player.headers)
        assert answer.status_code == 200, answer.text
        return answer.json

    return shown


def test_an_entry_has_masked_name_picture_and_wager(client, new_player, spin):
    assert client.get("/leaderboard").json == []

    spin(new_player("roulette-queen"), wager="12.34", price=20)

    assert client.get("/leaderboard").json == [
        {
            "username": "rou***",
            "avatar": "http://127.0.0.1:5000/media/neutral/avatar.webp",
            "wager": 12.34,
        }
    ]


def test_higher_wagers_come_first_then_older_accounts(board, new_player, spin):
    anna, bert, carl, dora, _idle = (new_player(name) for name in ("anna", "bert", "carl", "dora", "idle"))
    for player, wager in ((dora, 1), (carl, 5), (bert, 1), (dora, 4), (anna, 7)):
        spin(player, wager=wager)

    assert board() == [("ann***", 7), ("car***", 5), ("dor***", 5), ("ber***", 1)]


BEGINNINGS = {
    "2026-03-30 00:00": ["weekly"],
    "2026-04-01 00:00": ["monthly"],
    "2027-01-01 00:00": ["monthly"],
    "2027-01-04 00:00": ["weekly"],
    "2028-02-28 00:00": ["weekly"],
    "2028-02-29 00:00": [],
    "2028-03-01 00:00": ["monthly"],
    "2029-01-01 00:00": ["weekly", "monthly"],
    "2100-03-01 00:00": ["weekly", "monthly"],
}
"""Mondays and firsts of months; a leap day; the end of a year, in the middle of a week and between two; and
the day after the 28th of February of a year that is no leap year."""


def test_a_spin_just_before_midnight_counts_for_the_old_period(board, clock, new_player, spin):
    begun = {}
    for number, beginning in enumerate(BEGINNINGS):
        clock.now = at(beginning) - 1
        spin(new_player(f"b{number:02}-before"))
        clock.now = at(beginning)
        spin(new_player(f"a{number:02}-after"))
        shown = {period: [name for name, _ in board(period=period)] for period in ("weekly", "monthly")}
        assert all(f"a{number:02}***" in names for names in shown.values())
        begun[beginning] = [period for period, names in shown.items() if f"b{number:02}***" not in names]

    assert begun == BEGINNINGS


def test_sums_stay_in_the_later_week_after_a_clock_step(board, clock, new_player, spin):
    alice, bob = new_player("alice"), new_player("bob")
    clock.now = at("2026-03-16 00:01")
    spin(alice, wager=1)
    clock.now = at("2026-03-15 23:59")
    spin(alice, wager=2)
    spin(bob, wager=4)
    before = board()
    clock.now = at("2026-03-16 00:02")

    assert (before, board()) == ([("b***", 4)], [("ali***", 3)])


def test_masked_names_show_at_most_three_characters(board, new_player, spin):
    for wager, name in ((3, "abc"), (2, "abcd"), (1, "ab-cdefghij")):
        spin(new_player(name), wager=wager)

    assert board() == [("a***", 3), ("abc***", 2), ("ab-***", 1)]


def test_the_week_is_shown_by_default(board, clock, new_player, spin):
    clock.now = at("2026-03-02 12:00")
    spin(new_player("alice"))
    clock.now = at("2026-03-18 12:00")
    spin(new_player("bob"))

    assert board() == board(period="") == board(period="weekly") == [("b***", 1)]


def test_the_leaderboard_has_at_most_a_hundred_entries(board, new_player, spin):
    spin(new_player("first"), wager=1)
    with writing():
        columns = User.select().dicts().get()
        del columns["id"]
        for number in range(101):
            name = f"p{number:03}"
            own = {"platform_id": name, "username": name, "username_folded": name}
            User.insert(columns | own | {"week_wagered_cents": 101 + number}).execute()

    shown = board()

    assert len(shown) == 100
    assert (shown[0], shown[-1]) == (("p10***", 2.01), ("p00***", 1.02))


def test_the_own_row_has_rank_and_distance_to_the_next_player(own_row, new_player, spin):
    queen, alice = new_player("roulette-queen"), new_player("alice")
    spin(queen, wager="12.34", price=20)
    spin(alice, wager=2)
    picture = "http://127.0.0.1:5000/media/neutral/avatar.webp"

    assert own_row(alice) == {
        "rank": 2,
        "username": "ali***",
        "avatar": picture,
        "wager": 2,
        "next": {"username": "rou***", "avatar": picture, "wager": 12.34, "distance": 10.35},
    }
    assert own_row(queen)["rank"] == 1
    assert own_row(queen)["next"] is None


def test_wagering_the_distance_passes_the_next_player(own_row, new_player, spin):
    anna, bert, carl = (new_player(name) for name in ("anna", "bert", "carl"))
    for player, wager in ((anna, 3), (bert, 2), (carl, 2)):
        spin(player, wager=wager)

    # Of equal wagers, that of the older account comes first.
    for player, distance, rank in ((carl, 0.01, 2), (carl, 1, 1), (anna, 0.01, 1)):
        assert own_row(player)["next"]["distance"] == distance

        spin(player, wager=str(distance))

        assert own_row(player)["rank"] == rank


def test_somebody_without_a_wager_has_no_rank_and_the_last_player_ahead(own_row, clock, new_player, spin):
    idle, alice = new_player("idle"), new_player("alice")
    assert own_row(idle)["next"] is None
    clock.now = at("2026-03-02 12:00")
    spin(idle, wager=50, price=100)
    clock.now = at("2026-03-18 12:00")
    spin(alice, wager=2)

    this_week = own_row(idle)

    assert (this_week["rank"], this_week["wager"]) == (None, 0)
    # The account is older, so the same wager is enough.
    assert (this_week["next"]["username"], this_week["next"]["distance"]) == ("ali***", 2)
    assert own_row(idle, period="monthly")["rank"] == 1


def test_a_rank_below_the_first_ten_thousand_is_not_counted(own_row, new_player, spin, monkeypatch):
    monkeypatch.setattr(leaderboard, "LAST_RANK", 2)
    anna, bert, carl = (new_player(name) for name in ("anna", "bert", "carl"))
    for player, wager in ((anna, 3), (bert, 2), (carl, 1)):
        spin(player, wager=wager)

    assert [own_row(player)["rank"] for player in (anna, bert, carl)] == [1, 2, None]
    assert own_row(carl)["next"]["username"] == "ber***"


def test_an_unknown_period_is_refused(client):
    answers = [client.get(f"/leaderboard?period={period}") for period in ("daily", "WEEKLY", "weekly%00")]

    assert {answer.status_code for answer in answers} == {400}
    assert answers[0].json == {"error": "period: must be one of weekly, monthly"}


@pytest.mark.security("Suspension")
def test_suspended_players_are_not_on_the_leaderboard(board, own_row, new_player, spin):
    players = [new_player(name) for name in ("first", "second", "third")]
    for player, wager in zip(players, (30, 20, 10), strict=True):
        spin(player, wager=wager, price=100)
    assert len(board()) == 3

    access.suspend(user_id=players[1].id, now=1)

    assert board() == [("fir***", 30), ("thi***", 10)]
    row = own_row(players[2])
    assert (row["rank"], row["next"]["username"], row["next"]["distance"]) == (2, "fir***", 20.01)
    access.resume(user_id=players[1].id, now=2)
    assert board(period="monthly")[1] == ("sec***", 20)
