"""The migration that removes the ids of pull payments from stored messages."""

from importlib import import_module

import pytest

from models.db.connection import database, reading, writing
from models.webhook_deliveries import WebhookDelivery

MIGRATION = import_module("models.migrations.0040_payments_of_webhooks")

OTHERS = ['{"invoiceId": "i1"}', "no JSON", '{"pullPaymentId": null}']


@pytest.mark.usefixtures("app")
def test_stored_messages_lose_the_ids_of_pull_payments_and_nothing_else():
    before = ['{"payoutId": "p1", "pullPaymentId": "secret one"}', '{"pullPaymentId" : "a \\" b"}', *OTHERS]
    with writing():
        for number, body in enumerate(before * 400):
            WebhookDelivery.create(provider="btcpay", delivery_id=f"d{number}", body=body, received_at_ms=1)

        for _ in range(2):
            MIGRATION.up(None, database.obj)

    with reading():
        stored = [row.body for row in WebhookDelivery.select().order_by(WebhookDelivery.id)]
    assert stored[:5] == ['{"payoutId": "p1", "pullPaymentId": null}', '{"pullPaymentId" : null}', *OTHERS]
    assert stored == stored[:5] * 400
