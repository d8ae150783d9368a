"""The upgrader: wager an amount on a more expensive item."""

from dataclasses import dataclass

from models.bet_settlement import Outcome
from services.bets import rolls
from services.bets.terms import LOST, UPGRADER, WON, BetRequest, Expectation, Game, Terms
from services.items.catalogue import CatalogueCache, CatalogueItem
from services.shared.errors import Refusal
from services.shared.money import Cents, InvalidAmount, cents_from_number, is_amount
from settings import Settings

ALGORITHM = "upgrader-1"


class ItemNotFound(Refusal):
    """The catalogue does not show such an item."""

    text = "Item not found"


class ItemPriceChanged(Refusal):
    """The player saw another price than the catalogue has now."""

    text = "Item price has changed"


class PriceNotAboveWager(Refusal):
    """The item is worth no more than the wager."""

    text = "Item price must be higher than the wager"


class WagerTooSmall(Refusal):
    """The chance is so small that no roll would win."""

    text = "Wager is too small for this item"


class WagerAboveLimit(Refusal):
    """The wager is above the highest allowed."""

    text = "Wager is above the limit"


@dataclass(frozen=True, kw_only=True)
class SpinRequest(BetRequest):
    """A spin as the player sent it. ``amount`` is not validated yet."""

    amount: object
    item: str

    def identity(self) -> list[object]:
        return [self.amount, self.item, self.client_seed or None, self.server_seed_commitment, self.price]


@dataclass(frozen=True, kw_only=True)
class SpinTerms(Terms):
    """A spin that has passed the upgrader's checks."""

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


class Upgrader(Game[SpinRequest]):
    """The rules of a spin."""

    name = UPGRADER
    refusals = (
        *(InvalidAmount, ItemNotFound, ItemPriceChanged, PriceNotAboveWager, WagerAboveLimit, WagerTooSmall),
    )

    def __init__(self, *, settings: Settings, catalogue: CatalogueCache) -> None:
        self._settings = settings
        self._catalogue = catalogue

    def check(self, request: SpinRequest) -> SpinTerms:
        """Raises InvalidAmount, InvalidClientSeed, and the errors of this module, in the order below."""
        wager = cents_from_number(request.amount, least=Cents(self._settings.upgrader_min_wager_cents))
        request.check_client_seed()
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
        return SpinTerms(wager=wager, item=item, house_edge_ppm=edge, threshold=threshold)
