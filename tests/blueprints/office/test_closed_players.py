"""Players who have closed their accounts, in the back office."""

import pytest

REASON = ("--now", "--reason", "the player asked for it")


@pytest.fixture
def closed(client, player):
    answer = client.post("/profile/close", json={"forfeit": True}, headers=player.headers)
    assert answer.status_code == 200, answer.text
    return player


def test_the_list_of_closed_players_has_them_and_that_of_suspended_ones_has_not(support, closed, new_player):
    new_player("bob")

    found = support.get("/office/players?show=closed").text
    suspended = support.get("/office/players?show=suspended").text

    assert closed.username in found
    assert "bob</a>" not in found
    assert "There are none" in suspended


def test_a_player_s_page_says_that_the_account_is_closed_and_does_not_resume_it(support, closed):
    page = support.get(f"/office/players/{closed.platform_id}").text

    assert "closed by the player on" in page
    assert "flask users reopen" in page
    assert "End the suspension" not in page


def test_an_erased_player_is_found_by_the_neutral_id_alone(support, closed, run):
    erased = run("users", "erase", closed.platform_id, *REASON)["platformid"]

    page = support.get(f"/office/players/{erased}").text

    assert "erased on" in page
    assert support.get(f"/office/players/{closed.platform_id}").status_code == 404
    assert "Nobody matches" in support.get(f"/office/players?q={closed.username}").text
