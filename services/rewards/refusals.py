"""Why a reward is refused."""

from services.shared.errors import Refusal


class NothingToClaim(Refusal):
    """Less than a cent, too early, or claimed before."""

    text = "There is nothing to claim"


class RewardNotFound(Refusal):
    """No reward has this id, or it is another player's."""

    status = 404
    text = "Reward not found"


class RewardForAnotherCase(Refusal):
    """The reward is a free opening of another case than the one that was to be opened."""

    text = "This reward is for another case"


class FreeCaseNotAvailable(Refusal):
    """The player uses no promo code, or has opened the free case as often as the limit allows."""

    text = "Free case is not available"
