"""flask users show: what support needs to know about a player."""

import json

import pytest

from services.accounts.two_factor.codes import WRONG_CODE_WINDOW_MS
from services.shared.clock import DAY_MS
from tests.harness.spins import play_spin
from tests.support.two_factor import Authenticator, recovery_codes_of


@pytest.fixture
def show(run, player):
    """What the command prints of the player."""
    return lambda: run("users", "show", player.platform_id)


def test_a_new_player_has_no_limits_bets_payments_or_play(show):
    shown = show()

    nothing = dict.fromkeys(("day", "week", "month"))
    assert shown["limits"] == {"wager": nothing, "loss": nothing, "deposit": nothing, "pending": []}
    assert (shown["suspendedAt"], shown["exclusion"]) == (None, None)
    assert (shown["bets"], shown["payments"]) == ([], [])
    assert shown["session"] == {"number": 0, "playBeganAt": None, "lastBetAt": None}
    assert shown["twoFactor"] == {"enabled": False, "codesBlockedUntil": None, "recoveryCodesLeft": 0}


def test_suspension_exclusion_limits_and_requests_are_shown(show, run, send, player):
    for value in (50, 60):
        limit = {"kind": "wager", "period": "day", "value": value}
        status, answer = send(player, "PUT", "/limits", limit)
        assert status == 200
    since = run("users", "suspend", player.platform_id)["suspendedAt"]
    until = run("users", "exclude", player.platform_id, "24h")["until"]
    run("users", "logout", player.platform_id)

    shown = show()

    assert shown["suspendedAt"] == since
    assert shown["exclusion"] == {"until": until}
    assert shown["limits"]["wager"]["day"] == 50
    (pending,) = shown["limits"]["pending"]
    assert (pending["id"], pending["value"]) == (answer["id"], 60)
    assert pending["expiresAt"] - pending["confirmableAt"] == 6 * DAY_MS
    assert shown["session"]["number"] == 1


def test_the_last_five_bets_and_payments_come_newest_first(show, run, app, player, add_item):
    item = add_item()
    for _ in range(6):
        play_spin(app, player, item)
    for usd in range(1, 7):
        run("payments", "record", player.platform_id, "deposit", str(usd))

    shown = show()

    assert [bet["nonce"] for bet in shown["bets"]] == [6, 5, 4, 3, 2]
    assert shown["bets"][0].keys() >= {"id", "game", "wager", "earning", "status", "date"}
    assert [payment["usdAmount"] for payment in shown["payments"]] == [6, 5, 4, 3, 2]
    assert shown["session"]["lastBetAt"] == shown["bets"][0]["date"]
    assert shown["session"]["playBeganAt"] <= shown["bets"][-1]["date"]


def test_the_end_of_a_block_and_remaining_codes_are_shown_and_no_secret(show, app, client, player, add_item):
    play_spin(app, player, add_item())
    authenticator = Authenticator(app, player)
    codes = recovery_codes_of(app, player, authenticator)
    began = app.extensions["services"].clock()
    assert show()["twoFactor"] == {"enabled": True, "codesBlockedUntil": None, "recoveryCodesLeft": 10}

    for _ in range(5):
        body = {"code": authenticator.wrong()}
        assert client.post("/profile/2fa/disable", json=body, headers=player.headers).status_code == 400

    shown, now = show(), app.extensions["services"].clock()
    until = shown["twoFactor"]["codesBlockedUntil"]
    assert began + WRONG_CODE_WINDOW_MS <= until <= now + WRONG_CODE_WINDOW_MS
    text = json.dumps(shown)
    assert [secret for secret in (*codes, "serverSeed", player.token) if secret in text] == []
