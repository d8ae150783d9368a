"""flask prizes return: a prize that can't be delivered is its player's again."""

import pytest

from models.bets import Prize
from models.db.connection import reading
from tests.support.at_once import all_at_once

REASON = ("--reason", "the parcel came back")


@pytest.fixture
def asked(win, post, addressed):
    """A prize whose player has asked for shipping; its id."""
    prize_id = win()
    assert post(prize_id, "ship")[0] == 200
    return prize_id


@pytest.fixture(params=["shipping", "shipped"])
def undelivered(request, asked, run):
    """A prize that is to be shipped, or was; its id."""
    if request.param == "shipped":
        run("prizes", "ship", str(asked), "--tracking", "PostNL 3SABC")
    return asked


@pytest.mark.security("Prizes")
def test_a_returned_prize_is_kept_again_without_address_and_tracking(undelivered, run, statuses, ledger):
    printed = run("prizes", "return", str(undelivered), *REASON)

    assert (printed["status"], statuses()) == ("kept", ["kept"])
    with reading():
        prize = Prize.get()
    assert (prize.encrypted_address, prize.tracking) == (None, None)
    assert ledger()


def test_a_returned_prize_can_be_sold_or_shipped_once_more(undelivered, run, post, statuses, balance, ledger):
    run("prizes", "return", str(undelivered), *REASON)
    assert post(undelivered, "ship")[0] == 200
    run("prizes", "ship", str(undelivered))
    run("prizes", "return", str(undelivered), *REASON)
    before = balance()

    assert post(undelivered, "sell")[0] == 200

    assert (statuses(), balance()) == (["sold"], before + 25)
    assert ledger()


def test_the_player_is_notified_and_the_reason_is_in_the_audit_trail(undelivered, run, client, player):
    was = run("prizes", "list")["status"]
    run("prizes", "return", str(undelivered), *REASON)

    newest = client.get("/profile/notifications", headers=player.headers).json[0]
    assert newest["title"] == "Prize not delivered"
    event = run("audit", "export")[-1]
    assert (event["what"], event["player"]) == ("prize.returned", player.platform_id)
    assert event["after"] == {"prize": int(undelivered), "was": was, "reason": REASON[1]}


def test_only_what_is_to_be_delivered_is_returned(win, post, fails, statuses):
    kept, sold = win(), win()
    post(sold, "sell")

    for prize_id, status in ((kept, "kept"), (sold, "sold")):
        said = fails("prizes", "return", str(prize_id), *REASON)
        assert said == f"Error: the prize is {status}, not shipping or shipped"
    assert fails("prizes", "return", "999", *REASON) == "Error: Prize not found"
    assert "Missing option" in fails("prizes", "return", str(kept))
    assert fails("prizes", "return", str(kept), "--reason", " ").startswith("Error: the reason must be")
    assert sorted(statuses()) == ["kept", "sold"]


@pytest.mark.both_databases("a race")
def test_one_of_many_returns_at_once_counts(app, asked, statuses, ledger):
    runner = app.test_cli_runner()

    codes = all_at_once([lambda: runner.invoke(args=["prizes", "return", str(asked), *REASON]).exit_code] * 4)

    assert sorted(codes) == [0, 1, 1, 1]
    assert statuses() == ["kept"]
    assert ledger()
