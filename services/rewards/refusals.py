"""Why a reward is refused."""

from services.shared.errors import Refusal
from services.shared.money import Cents, number_from_cents


class NothingToClaim(Refusal):
    """Less than a cent, too early, or claimed before."""

    text = "There is nothing to claim"


class RewardNotFound(Refusal):
    """No reward has this id, or it is another player's."""

    status = 404
    text = "Reward not found"


class NoBonus(Refusal):
    """The player asks for a bonus with a deposit, and there is none, or one is open."""

    text = "There is no bonus for this deposit"


class BonusWouldBeLost(Refusal):
    """A withdrawal would end the open bonus, and the player has not agreed to that."""

    text = "Your bonus would be lost"

    def __init__(self, *, amount: Cents, missing: Cents) -> None:
        super().__init__()
        self.amount = amount
        self.missing = missing
        """What is still to be wagered."""

    @property
    def details(self) -> dict[str, object]:
        return {"amount": number_from_cents(self.amount), "missing": number_from_cents(self.missing)}


class RewardForAnotherCase(Refusal):
    """The reward is a free opening of another case than the one that was to be opened."""

    text = "This reward is for another case"


class FreeCaseNotAvailable(Refusal):
    """The player uses no promo code, or has opened the free case as often as the limit allows."""

    text = "Free case is not available"
