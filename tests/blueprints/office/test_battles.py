"""The pages about battles, and what other pages show of them."""

import re

import pytest

from models.battles import VoidReason
from tests.support.played_battles import COST, PlayedBattles


@pytest.fixture
def battles(app):
    return PlayedBattles(app)


@pytest.fixture
def rich(new_player):
    """A player who can pay for a seat."""
    return new_player("rich", coins=1_000)


@pytest.fixture
def locked(battles, rich):
    """A battle of a player and a bot that waits for its round."""
    return battles.call_bots(battles.create(rich)).public_id


def rows(page):
    """The cells of the rows of the first table, as texts."""
    body = page.text.partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr>.*?</tr>", body, re.DOTALL)
    ]


@pytest.mark.both_databases("services/staff/battle_lists.py")
def test_the_list_has_the_battles_of_a_state_the_newest_first(support, battles, rich, locked):
    private = battles.create(rich, teams="2v2", mode="jackpot", crazy=True, private=True)
    battles.create(rich)

    shown = {
        state: rows(support.get(f"/office/battles?state={state}")) for state in ("open", "locked", "all")
    }

    assert [row[0] for row in shown["locked"]] == [locked]
    assert len(shown["all"]) == 3
    assert shown["open"][1][:7] == [private, "open private", "jackpot, crazy", "2v2", "1 of 4", "0", "1"]
    assert "No battle is void." in support.get("/office/battles?state=void").text


@pytest.mark.both_databases("services/staff/battle_lists.py")
def test_a_battle_is_held_when_its_round_should_be_there(support, clock, locked):
    def held():
        overview = support.get("/office/").text
        count = re.search(r"Held battles</a></dt>\s*<dd>(\d+)", overview)[1]
        return int(count), [row[0] for row in rows(support.get("/office/battles?state=held"))]

    assert held() == (0, ["No battle is held."])

    clock.move(seconds=10)

    assert held() == (1, [locked])


def test_the_page_of_a_settled_battle_has_what_each_seat_drew_and_got(support, battles, rich, clock, locked):
    clock.move(seconds=10)
    settled = battles.settle(locked)

    page = support.get(f"/office/battles/{locked}")

    player, bot = rows(page)
    assert f'<a href="/office/players/{rich.platform_id}">rich</a>' in page.text
    assert (player[2], bot[2], bot[3]) == ("rich", "bot", "bot-1")
    paid = [f"{cents / 100:.2f}" for cents in settled.outcome.payouts_cents]
    assert [player[6], bot[6]] == paid
    for text in (settled.signature, settled.randomness, settled.server_seed):
        assert text in page.text
    assert "End in the log</h2>" in page.text


def test_the_page_of_a_void_battle_says_who_would_have_won(support, battles, clock, locked):
    battles.void(locked, VoidReason.LATE)

    unknown = support.get(f"/office/battles/{locked}").text
    clock.move(seconds=10)
    battles.learn_beacon(locked)
    known = support.get(f"/office/battles/{locked}")

    assert "Who would have won is not known" in unknown
    assert [row[-1].startswith("would have won") for row in rows(known)].count(True) == 1
    assert "Void because of</dt><dd>late" in known.text


@pytest.mark.both_databases("services/staff/battle_lists.py")
def test_voids_are_counted_by_their_reason_and_the_wins_of_bots_by_chance(
    support, battles, rich, clock, locked
):
    battles.void(battles.call_bots(battles.create(rich)).public_id, VoidReason.BEACON)
    clock.move(seconds=10)
    settled = battles.settle(locked)

    page = re.sub(r"<[^>]+>", " ", support.get("/office/battles/results").text)

    words = " ".join(page.split())
    assert "late 0 beacon 1 restore 0" in words
    wins = int(1 in settled.outcome.winners)
    assert f"settled battles 1 Of them in the winning team {wins} By chance on average 0.5" in words


@pytest.mark.both_databases("services/staff/battle_lists.py")
def test_a_players_page_lists_the_seats_that_hold_coins(support, battles, rich, new_player, locked):
    path = f"/office/players/{rich.platform_id}"
    joined = battles.create(new_player("host", coins=1_000), teams="1v1v1")
    battles.join(joined, rich, seat=2)

    seats, overview = support.get(f"{path}/battles"), support.get(path).text

    assert [(row[0], row[1], row[4]) for row in rows(seats)] == [
        (joined, "open", "2"),
        (locked, "locked", "0"),
    ]
    assert f"{2 * COST:.2f}" in overview.partition("Seats in battles")[2][:200]


def test_a_battle_that_there_is_not_is_404(support):
    assert support.get("/office/battles/none").status_code == 404


def test_a_bet_of_a_battle_leads_to_the_battle(support, battles, rich, clock, locked):
    clock.move(seconds=10)
    battles.settle(locked)

    bets = support.get(f"/office/players/{rich.platform_id}/bets").text

    assert f'<a href="/office/battles/{locked}">battle</a>' in bets
