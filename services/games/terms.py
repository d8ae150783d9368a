"""The interface of a game: the requests of its bets, and the terms on which a bet is settled."""

import hashlib
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from models.bet_settlement import Outcome
from services.shared import decimal_json
from services.shared.money import InvalidAmount, cents_from_number


@dataclass(frozen=True, kw_only=True)
class BetRequest:
    """The fields that the requests of all games have, as the player sent them.

    ``client_seed`` and the commitment are not validated yet: the checks have a documented order.
    """

    client_seed: object = None
    server_seed_commitment: object = None
    price: int | float | Decimal | None = None
    request_id: str | None = None
    token_number: int = 0
    """The number of the player's token. A bet of a revoked token is refused."""

    def identity(self) -> list[object]:
        """The values that must be the same when a request id is repeated."""
        raise NotImplementedError

    def digest(self) -> str:
        """A hash of the identity. Amounts go by value: 5, 5.0 and 5.00 are the same."""
        identity = decimal_json.dumps([_comparable(part) for part in self.identity()])
        return hashlib.sha256(identity.encode()).hexdigest()


def _comparable(part: object) -> object:
    """Amounts as cents; texts, booleans and null as they are; anything else as its ``repr``."""
    try:
        return int(cents_from_number(part))
    except InvalidAmount:
        return part if part is None or isinstance(part, bool | str) else repr(part)


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """The mean of a bet's payout, in cents, and its variance, in square cents, by the bet's chances."""

    mean_cents: float
    variance_square_cents: float


class Terms(Protocol):
    """A request that has passed the checks of its game."""

    @property
    def client_seed(self) -> str | None:
        """None for the seed of the profile."""

    def outcome(self, *, server_seed: str, client_seed: str, nonce: int) -> Outcome:
        """Decide the bet."""

    def expectation(self) -> Expectation | None:
        """Of the payout; None for a bet that costs nothing."""
