"""Tells players about changes of their deposits and withdrawals, and about new addresses for these."""

from models.payments import Deposit, Withdrawal
from server.realtime.realtime import Realtime
from services.container import Services
from services.payments import history
from services.shared.clock import Millis
from sockets.schemas import AddressAddedSchema, PaymentChangedSchema

PAYMENTS_CHANGED = "payments:changed"
ADDRESS_ADDED = "payments:address-added"

COMMIT_MS = 10_000
"""A change may be committed this long after its time was taken."""

MOST_AT_ONCE = 5_000

PAYLOAD = PaymentChangedSchema()
ADDRESS_PAYLOAD = AddressAddedSchema()


class PaymentChanges:
    """Sends the event ``payments:changed`` to the sockets of this process.

    Each process looks in the database itself, so that no change is missed, whoever has made it.
    """

    def __init__(self, realtime: Realtime, services: Services) -> None:
        self._realtime = realtime
        self._services = services
        self._since = services.clock()
        self._sent: dict[tuple[str, str], Deposit | Withdrawal] = {}
        """What was sent lately, by id and status."""

    def send_new(self) -> None:
        """Send what has changed since the last round. A task of tasks/table.py calls it every 0.8 seconds."""
        now = self._services.clock()
        connections = self._realtime.connections
        changed = history.changed_since(Millis(self._since - COMMIT_MS), most=MOST_AT_ONCE)
        known, self._sent = self._sent, {(row.id, row.status): row for row in changed}
        for key, row in self._sent.items():
            if key not in known:
                for sid in connections.sids_of(row.user_id):
                    self._realtime.send(sid, [(PAYMENTS_CHANGED, PAYLOAD.dump(row))])
        self._since = now


class NewAddresses:
    """Sends the event ``payments:address-added`` to the sockets of this process.

    Each process looks in the database itself, so that the owner of an account hears of every address.
    """

    def __init__(self, realtime: Realtime, services: Services) -> None:
        self._realtime = realtime
        self._services = services
        self._since = services.clock()
        self._sent: set[str] = set()
        """The ids of what was sent lately."""

    def send_new(self) -> None:
        """Send what was added since the last round. A task of tasks/table.py calls it every 0.8 seconds."""
        now = self._services.clock()
        added = self._services.address_book.added_since(Millis(self._since - COMMIT_MS), most=MOST_AT_ONCE)
        for entry in added:
            if entry.id not in self._sent:
                for sid in self._realtime.connections.sids_of(entry.user_id):
                    self._realtime.send(sid, [(ADDRESS_ADDED, ADDRESS_PAYLOAD.dump(entry))])
        # Last: after a failure the next round sends all of them again.
        self._sent = {entry.id for entry in added}
        self._since = now
