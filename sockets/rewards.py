"""Tells players about changes of their rewards, which claims, staff and commands make."""

from collections.abc import Sequence

from models.rewards import Reward
from server.realtime.realtime import Realtime
from services.container import Services
from services.rewards import rows, service
from sockets.changed_rows import ChangedRows
from sockets.reward_schemas import RewardsSchema

REWARDS_CHANGED = "rewards:changed"

PAYLOAD = RewardsSchema()


def reward_changes(realtime: Realtime, services: Services) -> ChangedRows[Reward]:
    """Sends the event ``rewards:changed``. A player who may not play is told of nothing."""

    def tell(changed: Sequence[Reward]) -> None:
        for user_id in {row.user_id for row in changed}:
            sids = realtime.connections.sids_of(user_id)
            overview = services.rewards.overview(user_id) if sids else service.NOTHING
            if overview is not service.NOTHING:
                for sid in sids:
                    realtime.send(sid, [(REWARDS_CHANGED, PAYLOAD.dump(overview))])

    return ChangedRows(
        services.clock, find=rows.changed_since, key=lambda row: (row.id, row.state), tell=tell
    )
