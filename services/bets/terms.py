"""What a bet of any game is: its request, its refusals, and the terms on which it is settled."""

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from typing import Generic, TypeVar

from models.battles import BATTLE
from models.bet_settlement import Outcome
from models.cases import CASE, IRL
from services.accounts.users import is_client_seed
from services.limits.exclusions import ExcludedPermanently, TakingABreak
from services.limits.limits import LimitReached
from services.log.restore import BetsPaused
from services.shared.errors import (
    AccountSuspended,
    InsufficientBalance,
    Refusal,
    TooManyRequests,
    Unauthorized,
)
from services.shared.money import InvalidAmount, cents_from_number

UPGRADER = "upgrader"
OF_ONE_PLAYER = (UPGRADER, CASE, IRL)
"""The games in which each bet has a nonce and a server seed of its own."""
GAMES = (*OF_ONE_PLAYER, BATTLE)
"""All games, by the names that bets are stored with."""

ALGORITHMS = {
    "upgrader-1": "A spin of the upgrader",
    "case-1": "The opening of a case",
    "irl-1": "The opening of a case with real-life items",
    "battle-1": "A seat of a battle",
}
"""What each algorithm decides. The number counts its versions: rules that change get the next one."""

WON = "won"
LOST = "lost"


class SpinInProgress(Refusal):
    """The player's last bet has not been answered yet."""

    text = "A spin is already in progress"


class SeedUsed(SpinInProgress):
    """Another bet, perhaps of another process, has used the seed."""


class StaleCase(Exception):
    """The case was read too long ago when its opening was about to be settled."""


class InvalidRequest(Refusal):
    """The payload is not an object, or a key is missing or has a value of the wrong type."""

    text = "Invalid request"


class InvalidClientSeed(Refusal):
    """The client seed is not 4 to 64 letters, digits, dashes and underscores."""

    text = "Invalid client seed"


class CommitmentMismatch(Refusal):
    """The player saw another commitment than the announced one."""

    text = "Commitment does not match"


class RequestIdReused(Refusal):
    """The request id has been used with other content."""

    text = "Request id was used for another spin"


class TooSoon(Refusal):
    """The least time between two bets has not passed."""

    text = "Please wait before the next bet"


class PlayTimeReached(Refusal):
    """The player has played as long as a play session may last, and must pause for half an hour."""

    text = "Session time limit reached"


OF_EVERY_BET = (
    *(TooManyRequests, Unauthorized, AccountSuspended, SpinInProgress, InvalidRequest, InvalidClientSeed),
    *(BetsPaused, ExcludedPermanently, TakingABreak, PlayTimeReached, TooSoon, LimitReached),
    *(CommitmentMismatch, InsufficientBalance, RequestIdReused),
)
"""The refusals that every game has. Players are told these and those of the game, and of anything else that
something went wrong.

Of several reasons a player is told the first in this order. What ``Game.check`` raises comes where
InvalidClientSeed is, in the order of the game, and what refuses the reward of a free opening in place of
InsufficientBalance. A request id that was used before is looked up only when a valid request is refused, so
RequestIdReused then takes the place of any later reason.
"""


@dataclass(frozen=True, kw_only=True)
class BetRequest(ABC):
    """The fields that the requests of all games have, as the player sent them.

    ``client_seed`` and the commitment are not validated yet: the checks have a documented order.
    """

    user_id: int
    token_number: int = 0
    """The number of the player's token. A bet of a revoked token is refused."""
    client_seed: object = None
    """Without one, or with an empty text, the bet uses the seed of the player's profile."""
    server_seed_commitment: object = None
    price: int | float | Decimal | None = None
    request_id: str | None = None

    def check_client_seed(self) -> None:
        """Raises InvalidClientSeed."""
        if self.client_seed not in (None, "") and not is_client_seed(self.client_seed):
            raise InvalidClientSeed

    @abstractmethod
    def identity(self) -> list[object]:
        """The values that must be the same when a request id is repeated."""

    def digest(self, game: str) -> str:
        """A hash of the game and the identity. Amounts go by value: 5, 5.0 and 5.00 are the same."""
        comparable = [game, *(_comparable(part) for part in self.identity())]
        identity = json.dumps(comparable, separators=(",", ":"))
        return hashlib.sha256(identity.encode()).hexdigest()


def _comparable(part: object) -> object:
    """Amounts as cents; texts, booleans and null as they are; anything else as its ``repr``."""
    try:
        return int(cents_from_number(part))
    except InvalidAmount:
        return part if part is None or isinstance(part, bool | str) else repr(part)


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """The mean of a bet's payout, in cents, and its variance, in square cents, by the bet's chances.

    The metrics compare them with what was paid.
    """

    mean_cents: float
    variance_square_cents: float


class Terms(ABC):
    """A request that has passed the checks of its game."""

    @abstractmethod
    def outcome(self, *, server_seed: str, client_seed: str, nonce: int) -> Outcome:
        """Decide the bet."""

    @abstractmethod
    def expectation(self) -> Expectation | None:
        """Of the payout; None for a bet that costs nothing."""


RequestT = TypeVar("RequestT", bound=BetRequest)


class Game(ABC, Generic[RequestT]):
    """The rules of a game."""

    name: str
    refusals: tuple[type[Refusal], ...]
    """What ``check`` raises, and refusals of the settlement that this game alone has."""

    @abstractmethod
    def check(self, request: RequestT) -> Terms:
        """Check a request in the documented order of the game; raises its refusals.

        Calls ``check_client_seed`` at its place in that order.
        """

    def forget_cached(self) -> None:
        """Forget what ``check`` has cached, which was too old when a bet was about to be settled."""
