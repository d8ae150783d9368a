"""What the audit trail records of players and operators."""

import json

import pytest

from tests.blueprints.prizes.conftest import DETAILS
from tests.support.openings import Openings, win_prize
from tests.support.two_factor import Authenticator

TRADE_URL = "https://steamcommunity.com/tradeoffer/new/?partner=1&token=very-secret"


@pytest.fixture
def events(run, app):
    """The events since the fixture was set up or last asked."""
    seen = set()

    def new():
        found = run("audit", "export")
        fresh = [event for event in found[1:] if event["id"] not in seen] if isinstance(found, list) else []
        seen.update(event["id"] for event in fresh)
        return fresh

    return new


def contents(events):
    """What happened, with the contents."""
    return [(event["what"], event["before"], event["after"]) for event in events]


@pytest.mark.regulation("2.8 Significant events")
def test_a_player_who_changes_the_account_is_recorded_with_address(client, player, events):
    events()

    client.put("/profile/details", json={"username": "carol"}, headers=player.headers)

    (event,) = events()
    assert [event["who"], event["player"], event["address"]] == [player.platform_id] * 2 + ["127.0.0.1"]
    assert contents([event]) == [("account.username-changed", {"username": "alice"}, {"username": "carol"})]


@pytest.mark.security("The audit trail")
@pytest.mark.regulation("2.8 Account information")
def test_changes_of_private_values_are_recorded_without_the_values(client, player, events):
    events()

    client.put("/profile/details", json=DETAILS, headers=player.headers)
    client.put("/profile/trade-url", json={"url": TRADE_URL}, headers=player.headers)
    client.put("/profile/client-seed", json={"clientSeed": "my-own-seed"}, headers=player.headers)

    found = events()
    assert contents(found) == [
        ("account.details-changed", None, {"details": "changed"}),
        ("account.trade-url-changed", None, {"tradeUrl": "changed"}),
        ("account.client-seed-changed", None, {"clientSeed": "changed"}),
    ]
    assert not any(secret in json.dumps(found) for secret in ("Springfield", "very-secret", "my-own-seed"))


def test_movements_of_coins_are_recorded_with_their_cents(client, app, player, new_player, events, run):
    clock = app.extensions["services"].clock
    prizes = [win_prize(app, player) for _ in range(2)]
    client.put("/profile/details", json=DETAILS, headers=player.headers)
    events()

    client.post(
        "/profile/vault/lock", json={"amount": 1.5, "deadline": clock() + 1000}, headers=player.headers
    )
    client.post(f"/prizes/{prizes[0]}/sell", headers=player.headers)
    client.post(f"/prizes/{prizes[1]}/ship", headers=player.headers)
    run("prizes", "ship", str(prizes[1]))
    run("payments", "record", player.platform_id, "deposit", "12.34")

    found = events()
    (locked, *others) = contents(found)
    assert locked[0] == "vault.locked"
    assert locked[2]["amountCents"] == 150
    assert others == [
        ("prize.sold", None, {"prize": prizes[0], "amountCents": 2500}),
        ("prize.shipping-requested", None, {"prize": prizes[1]}),
        ("prize.shipped", None, {"prize": prizes[1]}),
        ("payment.recorded", None, {"payment": 1, "type": "deposit", "usdCents": 1234}),
    ]
    assert {event["player"] for event in found} == {player.platform_id}


@pytest.mark.regulation("2.8 Significant events")
def test_the_steps_of_two_factor_authentication_are_recorded(client, app, player, events, run):
    events()

    authenticator = Authenticator(app, player)
    for _ in range(5):
        body = {"code": authenticator.wrong()}
        client.post("/profile/2fa/disable", json=body, headers=player.headers)
    run("two-factor", "reset", player.platform_id)

    assert [event["what"] for event in events()] == [
        "two-factor.enabled",
        "two-factor.locked",
        "two-factor.reset",
    ]


def test_a_bet_and_a_refused_request_are_not_recorded(app, client, player, new_player, events):
    new_player("bob")
    Openings(app).open(player)
    events()

    Openings(app).open(player)
    client.put("/profile/details", json={"username": "bob", "phone": "+12025550123"}, headers=player.headers)

    assert events() == []


@pytest.mark.regulation("2.8 Significant events")
def test_changes_by_commands_are_recorded_with_the_system_user(player, events, run, write):
    events()
    item = {"appid": 730, "marketHashName": "Item", "price": 1}

    run("users", "token", player.platform_id)
    for command in ("logout", "suspend", "suspend", "resume", "resume"):
        run("users", command, player.platform_id)
    run("notifications", "send", player.platform_id, "Hello", "a private text")
    run("items", "import", write([item, item | {"marketHashName": "Other"}]))
    run("ledger", "rebuild")
    run("seeds", "redraw")
    run("secrets", "rotate")

    found = events()
    assert contents(found) == [
        ("account.token-issued", None, None),
        ("account.logged-out", {"session": 0}, {"session": 1}),
        # Once, although the command was repeated.
        ("account.suspended", None, None),
        ("account.resumed", None, None),
        ("notification.sent", None, {"title": "Hello"}),
        ("items.imported", None, {"created": 2, "updated": 0}),
        ("statistics.rebuilt", None, {"correctedPlayers": 0}),
        ("seeds.redrawn", None, {"seeds": 1}),
        ("secrets.rotated", None, {"unreadable": 0}),
    ]
    assert len({event["who"] for event in found}) == 1
    assert found[0]["who"].startswith("operator:")
    assert [event["player"] for event in found] == [player.platform_id] * 5 + [None] * 4


def test_a_codes_use_is_recorded_without_the_special_code(make_app, client, player, new_player, events):
    special = make_app(AFFILIATE_SPECIAL_CODE="HUSH")
    bob, carol = new_player("bob"), new_player("carol")
    client.post("/affiliate/set-code", json={"code": "alice"}, headers=player.headers)
    events()

    client.post("/affiliate/use-code", json={"code": "alice"}, headers=bob.headers)
    special.test_client().post("/affiliate/use-code", json={"code": "hush"}, headers=carol.headers)

    assert contents(events()) == [
        ("affiliate.code-used", None, {"code": "ALICE"}),
        ("affiliate.code-used", None, {"code": "changed"}),
    ]
