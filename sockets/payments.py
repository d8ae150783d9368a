"""Tells players about changes of their deposits and withdrawals, which tasks, commands and staff make."""

from models.payments import Deposit, Withdrawal
from server.realtime.realtime import Realtime
from services.container import Services
from services.payments import history
from services.shared.clock import Millis
from sockets.schemas import PaymentChangedSchema

PAYMENTS_CHANGED = "payments:changed"

COMMIT_MS = 10_000
"""A change may be committed this long after its time was taken."""

MOST_AT_ONCE = 5_000

PAYLOAD = PaymentChangedSchema()


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
