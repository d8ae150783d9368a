"""Why a reward is refused."""

from services.shared.errors import Refusal


class NothingToClaim(Refusal):
    """Less than a cent, too early, or claimed before."""

    text = "There is nothing to claim"


class RewardNotFound(Refusal):
    """No reward has this id, or it is another player's."""

    status = 404
    text = "Reward not found"
