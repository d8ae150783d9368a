"""Fixtures of POST /webhooks/payments: signed messages of the operator's own payment service."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks import Webhook

from models.db.connection import reading
from models.payments import WebhookDelivery
from tests.blueprints.payments.conftest import SECRET

OTHER_SECRET = "whsec_" + "QUJD" * 8
GOOD = (200, {"success": True})
PATH = "/webhooks/payments"


@pytest.fixture
def settings(settings):
    """While the secret is being changed, both count."""
    return settings | {"PAYMENTS_WEBHOOK_SECRET": f"{SECRET}  {OTHER_SECRET}"}


@pytest.fixture
def post(app):
    """Sends a message, signed; status and body of the answer."""
    client = app.test_client()

    def send(message, *, message_id="m1", secret=SECRET, age_seconds=0, **changes):
        body = message if isinstance(message, str) else json.dumps(message)
        at = datetime.now(UTC) - timedelta(seconds=age_seconds)
        headers = {
            "webhook-id": message_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": Webhook(secret).sign(message_id, at, body),
        } | changes
        headers = {name: value for name, value in headers.items() if value is not None}
        answer = client.post(PATH, data=body, headers=headers, content_type="application/json")
        return answer.status_code, answer.json

    return send


@pytest.fixture
def deposited(player):
    """A message about a deposit of the player."""

    def message(usd=25, **data):
        return {"type": "deposit.credited", "data": {"platformid": player.platform_id, "usd": usd} | data}

    return message


@pytest.fixture
def withdrawn(deposited):
    return lambda usd=25, **data: deposited(usd, **data) | {"type": "withdrawal.completed"}


@pytest.fixture
def stored(app):
    """Id and error of each stored message."""
    columns = (WebhookDelivery.delivery_id, WebhookDelivery.error)
    return reading()(lambda: list(WebhookDelivery.select(*columns).order_by(WebhookDelivery.id).tuples()))
