"""A spin: the checks in their documented order, and the roll."""

from dataclasses import dataclass

from models.bet_settlement import Outcome
from services.bets import rolls
from services.bets.lookups import LOST, UPGRADER, WON
from services.bets.settlement import BetSettler, Clock, SettledBet, client_seed_of
from services.bets.terms import BetRequest, Expectation
from services.bets.upgrader_errors import (
    ItemNotFound,
    ItemPriceChanged,
    PriceNotAboveWager,
    WagerAboveLimit,
    WagerTooSmall,
)
from services.items.catalogue import CatalogueCache, CatalogueItem
from services.shared.money import Cents, cents_from_number, is_amount
from settings import Settings

ALGORITHM = "upgrader-1"


@dataclass(frozen=True, kw_only=True)
class SpinRequest(BetRequest):
    """A spin as the player sent it. ``amount`` is not validated yet."""

    amount: object
    item: str

    def identity(self) -> list[object]:
        # Without the event: bets that were made before there were openings were hashed without it.
        return [self.amount, self.item, self.client_seed or None, self.server_seed_commitment, self.price]


@dataclass(frozen=True, kw_only=True)
class SpinTerms:
    """A spin that has passed the upgrader's checks."""

    client_seed: str | None
    wager: Cents
    item: CatalogueItem
    house_edge_ppm: int
    threshold: int

    def outcome(self, *, server_seed: str, client_seed: str, nonce: int) -> Outcome:
        """Roll: below the threshold the player wins the item's value."""
        roll = rolls.roll(server_seed=server_seed, client_seed=client_seed, nonce=nonce)
        won = roll < self.threshold
        return Outcome(
            game=UPGRADER,
            algorithm=ALGORITHM,
            wager_cents=self.wager,
            payout_cents=self.item.price_cents if won else 0,
            status=WON if won else LOST,
            item=self.item.market_hash_name,
            price_cents=self.item.price_cents,
            house_edge_ppm=self.house_edge_ppm,
            threshold=self.threshold,
            roll=roll,
        )

    def expectation(self) -> Expectation:
        chance, price = self.threshold / rolls.ROLL_RANGE, self.item.price_cents
        return Expectation(mean_cents=chance * price, variance_square_cents=chance * (1 - chance) * price**2)


class Upgrader:
    """Plays spins."""

    game = UPGRADER

    def __init__(self, *, settings: Settings, catalogue: CatalogueCache, settler: BetSettler) -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._settler = settler

    def play(self, *, user_id: int, request: SpinRequest, clock: Clock) -> SettledBet:
        """Take the wager, roll, and credit the item's value when the roll wins.

        The caller holds the player's lock. Raises InvalidAmount, the errors of upgrader_errors.py in
        the order of the checks below, and then those of ``BetSettler.settle``.
        """
        return self._settler.settle(
            user_id=user_id, request=request, check=lambda: self._terms(request), clock=clock
        )

    def _terms(self, request: SpinRequest) -> SpinTerms:
        wager = cents_from_number(request.amount, least=Cents(self._settings.upgrader_min_wager_cents))
        client_seed = client_seed_of(request)
        item = self._catalogue.current().by_name.get(request.item)
        if item is None:
            raise ItemNotFound
        if request.price is not None and not is_amount(request.price, item.price_cents):
            raise ItemPriceChanged
        if item.price_cents <= wager:
            raise PriceNotAboveWager
        if wager > self._settings.upgrader_max_wager_cents:
            raise WagerAboveLimit
        edge = self._settings.upgrader_house_edge_ppm
        threshold = rolls.threshold(wager_cents=wager, price_cents=item.price_cents, house_edge_ppm=edge)
        if threshold == 0:
            raise WagerTooSmall
        return SpinTerms(
            client_seed=client_seed, wager=wager, item=item, house_edge_ppm=edge, threshold=threshold
        )
