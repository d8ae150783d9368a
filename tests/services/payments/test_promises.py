"""What SECURITY.md and docs/regulation.md promise of payments, in its simplest form."""

from dataclasses import replace

import pytest

from models.db.connection import reading
from models.deposits import Deposit
from models.webhook_deliveries import WebhookDelivery
from services.payments.deposits import is_ours
from services.payments.provider import Unknown
from services.payments.providers.demo import Demo
from services.shared.clock import Millis
from services.shared.money import Cents
from tests.support.apps import ITEM
from tests.support.markers import sqlite_only

BTCPAY = {
    "PAYMENT_METHODS": "btcpay",
    "PAYMENTS_WEBHOOK_SECRET": "whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBvZiBhIHBhZ2U=",
    "BTCPAY_URL": "http://127.0.0.1:9",
    "BTCPAY_STORE": "store",
    "BTCPAY_API_KEY": "key",
    "BTCPAY_WEBHOOK_SECRET": "secret",
}
HOUR_MS = 3_600_000
STANDARD_HEADERS = {"webhook-id": "1", "webhook-timestamp": "1795336797", "webhook-signature": "v1,AAAA"}


@sqlite_only
@pytest.mark.settings(**BTCPAY)
@pytest.mark.security("Webhooks")
@pytest.mark.parametrize("path", ["btcpay", "payments"])
@pytest.mark.parametrize("headers", [{}, {"BTCPAY-SIG": "sha256=00"}, STANDARD_HEADERS])
def test_a_webhook_without_a_good_signature_is_refused_and_not_stored(client, path, headers):
    answer = client.post(f"/webhooks/{path}", json={"deliveryId": "1", "invoiceId": "1"}, headers=headers)

    assert (answer.status_code, answer.get_json()) == (401, {"error": "Unauthorized"})
    with reading():
        assert WebhookDelivery.select().count() == 0


@pytest.mark.security("Deposits")
def test_an_invoice_that_somebody_else_made_is_not_the_deposits():
    deposit = Deposit(id="d", amount_cents=2500, secret="s")
    provider = Demo(base_url="", clock=lambda: Millis(0))
    ours = provider.create_invoice(deposit_id="d", secret="s", platform_id="1", amount=Cents(2500), seconds=1)

    changes = ({"secret": None}, {"secret": "x"}, {"amount": None}, {"amount": 1}, {"currency": "EUR"})
    assert is_ours(ours, deposit)
    assert [change for change in changes if is_ours(replace(ours, **change), deposit)] == []


@pytest.fixture
def withdraw(client, player, change_player):
    """Requests a withdrawal of 6 of the player's 10 coins, and gives its path."""

    def request():
        change_player(balance_cents=1000)
        body = {"method": "demo", "amount": 6, "to": "somewhere"}
        made = client.post("/payments/withdrawals", json=body, headers=player.headers).get_json()
        return f"/payments/withdrawals/{made['withdrawal']['id']}"

    return request


@pytest.fixture
def shown(client, player):
    """The status of the withdrawal at a path, and the player's balance."""

    def show(path):
        status = client.get(path, headers=player.headers).get_json()["withdrawal"]["status"]
        return status, client.get("/auth/me", headers=player.headers).get_json()["balance"]

    return show


@sqlite_only
@pytest.mark.regulation("RTS 14B: no cancelled withdrawals")
def test_a_player_can_neither_cancel_a_withdrawal_nor_wager_its_coins(
    client, connect, player, add_item, withdraw, shown
):
    add_item(price=10)
    path = withdraw()

    changes = [
        getattr(client, method)(path, json={}, headers=player.headers).status_code
        for method in ("delete", "put", "patch", "post")
    ]
    spin = connect(player).spin({"amount": 5, "item": ITEM})

    assert changes == [405] * 4
    assert spin == {"status": False, "error": "Insufficient balance"}
    assert shown(path) == ("requested", 4)


@sqlite_only
@pytest.mark.settings(WITHDRAWAL_AUTO_APPROVE="10")
@pytest.mark.security("Withdrawals")
def test_the_coins_stay_held_while_the_providers_answer_is_unknown(app, monkeypatch, withdraw, shown, fails):
    def lose_the_answer(*_, **__):
        raise Unknown("the provider did not answer in time")

    monkeypatch.setattr(Demo, "approve", lose_the_answer)
    path = withdraw()

    services = app.extensions["services"]
    for hour in range(5):
        services.payout_sender.run(now=services.clock() + hour * HOUR_MS)
    refusal = fails("payments", "reject", path.rpartition("/")[2], "--reason", "it takes too long")

    assert shown(path) == ("sending", 4)
    assert "the withdrawal is sending, not requested" in refusal
