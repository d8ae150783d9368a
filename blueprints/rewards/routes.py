"""/rewards: what the house gives the caller, and claiming it."""

from typing import Any

from blueprints.api.auth import current_user, public, require_user
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import conditional
from blueprints.rewards.schemas import ClaimedSchema, RewardRulesSchema, RewardsAnswerSchema
from models.users import User
from server.current_services import get_services
from services.rewards import rules
from services.shared.money import Cents
from sockets.player_state import player_state

blueprint = ApiBlueprint(
    "rewards", __name__, url_prefix="/rewards", description="Rakeback, gifts of levels, bonuses, grants"
)


@blueprint.get("")
@require_user
@blueprint.response(200, RewardsAnswerSchema)
def get_rewards() -> dict[str, Any]:
    """What the caller can claim, and has claimed. It is empty during a break."""
    return {"success": True, "data": get_services().rewards.overview(current_user().id)}


@blueprint.get("/rules")
@public
@conditional
@blueprint.response(200, RewardRulesSchema)
@blueprint.alt_response(304, description="The client has these rules already")
def get_reward_rules() -> rules.Rules:
    """What rewards there are, the same for everyone."""
    return rules.rules(get_services().settings)


@blueprint.post("/rakeback/claim")
@require_user
@blueprint.response(200, ClaimedSchema)
def claim_rakeback() -> dict[str, Any]:
    """Add the caller's rakeback to the balance, at most once an hour. The event `balance` follows."""
    return _claimed(*get_services().rewards.claim_rakeback(user_id=current_user().id))


@blueprint.post("/<reward_id>/claim")
@require_user
@blueprint.response(200, ClaimedSchema)
@blueprint.alt_response(404)
def claim_reward(reward_id: str) -> dict[str, Any]:
    """Add the gift of a level, a grant, or a bonus that was wagered, to the caller's balance, once.

    The event `balance` follows. A bonus is also paid without this, within seconds.
    """
    return _claimed(*get_services().rewards.claim(user_id=current_user().id, reward_id=reward_id))


def _claimed(amount: Cents, player: User) -> dict[str, Any]:
    player_state().send(player.id, player)
    return {"success": True, "amount": amount}
