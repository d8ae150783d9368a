"""A spin: the checks in their order, then wager, roll, bet and payout in one database transaction."""

import hashlib
from dataclasses import dataclass
from decimal import Decimal

import peewee

from models.bets import Bet
from models.database import reading, writing
from services import exact_json, fairness, ledger, rollups, users
from services.balances import Balances, balances_of
from services.catalogue import CatalogueCache, CatalogueItem
from services.clock import Millis
from services.errors import InsufficientBalance
from services.ledger import Account, Entry, Kind
from services.money import Cents, NotAnAmount, cents_from_number
from services.server_seeds import Commitment, SeedInPlay, ServerSeeds
from services.upgrader.errors import (
    CommitmentMismatch,
    InvalidAmount,
    InvalidClientSeed,
    ItemNotFound,
    ItemPriceChanged,
    PriceNotAboveWager,
    RequestIdReused,
    SpinInProgress,
    WagerAboveLimit,
    WagerTooSmall,
)
from services.upgrader.rules import UpgraderRules

GAME = "upgrader"
ROUND = 0
WON = "won"
LOST = "lost"


@dataclass(frozen=True, kw_only=True)
class SpinRequest:
    """What a player asks for. ``amount``, ``client_seed`` and the commitment are as they came in.

    They are judged here, in the order that players are promised, not where the message is read.
    """

    amount: object
    item: str
    client_seed: object = None
    server_seed_commitment: object = None
    price: int | float | Decimal | None = None
    request_id: str | None = None

    def digest(self) -> str:
        """The same for the same content: what a repeated request id is held against."""
        content = [self.amount, self.item, self.client_seed or None, self.server_seed_commitment, self.price]
        return hashlib.sha256(exact_json.dumps([_comparable(part) for part in content]).encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Spin:
    """A settled spin. ``following`` and ``balances`` are None when it is an earlier one, answered again."""

    bet: Bet
    following: Commitment | None = None
    balances: Balances | None = None


class Upgrader:
    """Plays spins by one set of rules."""

    def __init__(self, *, rules: UpgraderRules, catalogue: CatalogueCache, seeds: ServerSeeds) -> None:
        self.rules = rules
        self._catalogue = catalogue
        self._seeds = seeds

    def play(self, *, user_id: int, request: SpinRequest, now: Millis) -> Spin:
        """Take the wager, roll, and credit the item's value when the roll wins.

        The caller holds the player's spin lock. Raises the errors of services/upgrader/errors.py in the
        order of the checks below, InsufficientBalance last; after any of them nothing has changed.
        A request id that has been answered before gets the first answer again.
        """
        if request.request_id is not None and (earlier := self._answered(user_id, request)):
            return earlier
        wager = self._wager(request.amount)
        client_seed = _client_seed(request.client_seed)
        item = self._item(request.item)
        _check_price(item, request.price, wager)
        threshold = self._threshold(wager, item.price_cents)
        try:
            with writing():
                return self._settle(
                    user_id=user_id,
                    request=request,
                    wager=wager,
                    client_seed=client_seed,
                    item=item,
                    threshold=threshold,
                    now=now,
                )
        except (peewee.IntegrityError, CommitmentMismatch, InsufficientBalance, SpinInProgress):
            # Another process may have settled the same request meanwhile; its answer is the first one.
            if request.request_id is not None and (earlier := self._answered(user_id, request)):
                return earlier
            raise

    @reading()
    def _answered(self, user_id: int, request: SpinRequest) -> Spin | None:
        bet = Bet.get_or_none(Bet.user == user_id, Bet.request_id == request.request_id)
        if bet is None:
            return None
        if bet.request_digest != request.digest():
            raise RequestIdReused
        return Spin(bet=bet)

    def _wager(self, amount: object) -> Cents:
        try:
            wager = cents_from_number(amount)
        except NotAnAmount:
            raise InvalidAmount from None
        if wager < self.rules.min_wager:
            raise InvalidAmount
        return wager

    def _item(self, name: str) -> CatalogueItem:
        item = self._catalogue.current().by_name.get(name)
        if item is None:
            raise ItemNotFound
        return item

    def _threshold(self, wager: Cents, price: Cents) -> int:
        if wager > self.rules.max_wager:
            raise WagerAboveLimit
        threshold = fairness.threshold(
            wager_cents=wager, price_cents=price, house_edge_ppm=self.rules.house_edge_ppm
        )
        if threshold == 0:
            raise WagerTooSmall
        return threshold

    def _settle(
        self,
        *,
        user_id: int,
        request: SpinRequest,
        wager: Cents,
        client_seed: str | None,
        item: CatalogueItem,
        threshold: int,
        now: Millis,
    ) -> Spin:
        seed = self._seed_in_play(user_id, request.server_seed_commitment)
        following = self._seeds.replace(user_id=user_id, used_nonce=seed.nonce)
        if following is None:
            raise SpinInProgress
        client_seed = client_seed or users.get_by_id(user_id).client_seed
        roll = fairness.roll(
            server_seed=seed.server_seed, client_seed=client_seed, nonce=seed.nonce, round_=ROUND
        )
        won = roll < threshold
        payout = item.price_cents if won else Cents(0)
        transaction_id = ledger.post(kind=Kind.SPIN, entries=_entries(user_id, wager, payout), now=now)
        bet = Bet.create(
            user=user_id,
            game=GAME,
            nonce=seed.nonce,
            ledger_transaction=transaction_id,
            wager_cents=wager,
            payout_cents=payout,
            status=WON if won else LOST,
            item=item.market_hash_name,
            price_cents=item.price_cents,
            house_edge_ppm=self.rules.house_edge_ppm,
            threshold=threshold,
            roll=roll,
            client_seed=client_seed,
            server_seed_commitment=seed.commitment,
            sealed_server_seed=seed.sealed,
            request_id=request.request_id,
            request_digest=request.digest() if request.request_id is not None else None,
            created_at_ms=now,
            completed_at_ms=now + self.rules.proof_delay,
        )
        balances = balances_of(user_id)
        rollups.add_bet(bet)
        return Spin(bet=bet, following=following, balances=balances)

    def _seed_in_play(self, user_id: int, expected_commitment: object) -> SeedInPlay:
        seed = self._seeds.in_play(user_id=user_id)
        if expected_commitment is not None and expected_commitment != seed.commitment:
            raise CommitmentMismatch
        return seed


def _client_seed(given: object) -> str | None:
    """The seed the player sent; None when the profile's own is to be used."""
    if given is None or given == "":
        return None
    if not fairness.is_client_seed(given):
        raise InvalidClientSeed
    return str(given)


def _check_price(item: CatalogueItem, seen: float | Decimal | None, wager: Cents) -> None:
    if seen is not None and _cents_or_none(seen) != item.price_cents:
        raise ItemPriceChanged
    if item.price_cents <= wager:
        raise PriceNotAboveWager


def _entries(user_id: int, wager: Cents, payout: Cents) -> list[Entry]:
    entries = [Entry(Account.BALANCE, Cents(-wager), user_id), Entry(Account.HOUSE_BETS, wager)]
    if payout:
        entries += [Entry(Account.HOUSE_BETS, Cents(-payout)), Entry(Account.BALANCE, payout, user_id)]
    return entries


def _cents_or_none(number: object) -> Cents | None:
    try:
        return cents_from_number(number)
    except NotAnAmount:
        return None


def _comparable(part: object) -> object:
    """Amounts by their value, so that 5, 5.0 and 5.00 are the same content; all else as it was written."""
    cents = _cents_or_none(part)
    if cents is not None:
        return int(cents)
    return part if part is None or isinstance(part, bool | str) else repr(part)
