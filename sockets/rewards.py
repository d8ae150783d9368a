"""Tells players about changes of their rewards, which claims, staff and commands make."""

from server.realtime.realtime import Realtime
from services.container import Services
from services.rewards import rows, service
from services.shared.clock import Millis
from sockets.payments import COMMIT_MS, MOST_AT_ONCE
from sockets.reward_schemas import RewardsSchema

REWARDS_CHANGED = "rewards:changed"

PAYLOAD = RewardsSchema()


class RewardChanges:
    """Sends the event ``rewards:changed`` to the sockets of this process.

    Each process looks in the database itself, so that no change is missed, whoever has made it. A player who
    may not play is told of nothing.
    """

    def __init__(self, realtime: Realtime, services: Services) -> None:
        self._realtime = realtime
        self._services = services
        self._since = services.clock()
        self._sent: set[tuple[int, str]] = set()
        """What was sent lately, by id and state."""

    def send_new(self) -> None:
        """Send what has changed since the last round. A task of tasks/table.py calls it every 0.8 seconds."""
        now = self._services.clock()
        changed = rows.changed_since(Millis(self._since - COMMIT_MS), most=MOST_AT_ONCE)
        for user_id in {row.user_id for row in changed if (row.id, row.state) not in self._sent}:
            self._send(user_id)
        # Last: after a failure the next round sends all of them again.
        self._sent = {(row.id, row.state) for row in changed}
        self._since = now

    def _send(self, user_id: int) -> None:
        sids = self._realtime.connections.sids_of(user_id)
        overview = self._services.rewards.overview(user_id) if sids else service.NOTHING
        if overview is not service.NOTHING:
            for sid in sids:
                self._realtime.send(sid, [(REWARDS_CHANGED, PAYLOAD.dump(overview))])
