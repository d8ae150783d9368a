"""Tells players about changes of their deposits and withdrawals, and about new addresses for these."""

from collections.abc import Sequence

from models.payments import Deposit, Withdrawal
from server.realtime.realtime import Realtime
from services.container import Services
from services.payments import history
from services.payments.address_book import Entry
from sockets.changed_rows import ChangedRows
from sockets.schemas import AddressAddedSchema, PaymentChangedSchema

PAYMENTS_CHANGED = "payments:changed"
ADDRESS_ADDED = "payments:address-added"

PAYLOAD = PaymentChangedSchema()
ADDRESS_PAYLOAD = AddressAddedSchema()


def payment_changes(realtime: Realtime, services: Services) -> ChangedRows[Deposit | Withdrawal]:
    """Sends the event ``payments:changed``."""

    def tell(changed: Sequence[Deposit | Withdrawal]) -> None:
        for row in changed:
            for sid in realtime.connections.sids_of(row.user_id):
                realtime.send(sid, [(PAYMENTS_CHANGED, PAYLOAD.dump(row))])

    return ChangedRows(
        services.clock, find=history.changed_since, key=lambda row: (row.id, row.status), tell=tell
    )


def new_addresses(realtime: Realtime, services: Services) -> ChangedRows[Entry]:
    """Sends the event ``payments:address-added``, so that the owner of an account hears of every address."""

    def tell(added: Sequence[Entry]) -> None:
        for entry in added:
            for sid in realtime.connections.sids_of(entry.user_id):
                realtime.send(sid, [(ADDRESS_ADDED, ADDRESS_PAYLOAD.dump(entry))])

    return ChangedRows(
        services.clock, find=services.address_book.added_since, key=lambda entry: entry.id, tell=tell
    )
