"""Messages that payment providers have sent, each stored once."""

import peewee
from peewee import SQL

from models.db.connection import Table


class WebhookDelivery(Table):
    """A message with a good signature. It is answered when it is stored, and processed after that."""

    id = peewee.BigAutoField()
    provider = peewee.CharField(max_length=16)
    # The sender's id of it; the same one again is not stored.
    delivery_id = peewee.CharField(max_length=128)
    body = peewee.TextField()
    received_at_ms = peewee.BigIntegerField()
    processed_at_ms = peewee.BigIntegerField(null=True)
    # Why nothing was done. Kept for staff.
    error = peewee.CharField(max_length=200, null=True)
    # The row of ``payments`` that a message of the operator's own service has recorded.
    payment_id = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "webhook_deliveries"
        indexes = ((("provider", "delivery_id"), True),)


# Those that wait.
WebhookDelivery.add_index(
    WebhookDelivery.index(
        WebhookDelivery.id, name="webhook_deliveries_waiting", where=SQL("processed_at_ms IS NULL")
    )
)
# Old ones are deleted.
WebhookDelivery.add_index(
    WebhookDelivery.index(WebhookDelivery.received_at_ms, name="webhook_deliveries_received")
)
# The payments that were recorded by messages.
WebhookDelivery.add_index(
    WebhookDelivery.index(
        WebhookDelivery.payment_id, name="webhook_deliveries_payment", where=SQL("payment_id IS NOT NULL")
    )
)
# Those that staff must look at.
WebhookDelivery.add_index(
    WebhookDelivery.index(
        WebhookDelivery.id, name="webhook_deliveries_failed", where=SQL("error IS NOT NULL")
    )
)
