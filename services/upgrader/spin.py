"""A spin: the checks in their documented order, the roll, and the settlement."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

import peewee

from models.bets import Bet
from models.db.connection import reading
from models.spin_settlement import Settlement
from models.totals import LIVE_BET_SHARDS
from services.accounts import users
from services.accounts.balances import Balances
from services.fairness import rolls
from services.fairness.server_seeds import Commitment, SeedInPlay, ServerSeeds
from services.games.errors import SpinInProgress
from services.games.settlement import SeedUsed, bet_of, is_high_roll, settle
from services.shared import decimal_json
from services.shared.cache_invalidation import Tag, invalidate
from services.shared.clock import Millis
from services.shared.errors import PlatformError
from services.shared.money import Cents, NotAnAmount, cents_from_number
from services.upgrader.catalogue import CatalogueCache, CatalogueItem
from services.upgrader.errors import (
    CommitmentMismatch,
    InvalidAmount,
    InvalidClientSeed,
    ItemNotFound,
    ItemPriceChanged,
    PriceNotAboveWager,
    RequestIdReused,
    WagerAboveLimit,
    WagerTooSmall,
)
from services.upgrader.rules import UpgraderRules

GAME = "upgrader"
ROUND = 0
WON = "won"
LOST = "lost"

SLOW_SETTLEMENT_MS = 250
"""After a settlement that took longer, the due time of the proof is postponed."""


Clock = Callable[[], Millis]


@dataclass(frozen=True, kw_only=True)
class SpinRequest:
    """A spin as the player sent it.

    ``amount``, ``client_seed`` and the commitment are not validated yet: the checks have a documented order.
    """

    amount: object
    item: str
    client_seed: object = None
    server_seed_commitment: object = None
    price: int | float | Decimal | None = None
    request_id: str | None = None

    def digest(self) -> str:
        """A hash of the content, which must be the same when a request id is repeated."""
        content = [self.amount, self.item, self.client_seed or None, self.server_seed_commitment, self.price]
        return hashlib.sha256(
            decimal_json.dumps([_comparable(part) for part in content]).encode()
        ).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Spin:
    """A settled spin. ``following`` and ``balances`` are None for the first answer to a repeated request id.

    ``is_late``: the bet's due time is later than in the database; ``Proofs.postpone`` must write it.
    """

    bet: Bet
    following: Commitment | None = None
    balances: Balances | None = None
    is_late: bool = False


@dataclass(frozen=True, kw_only=True)
class _Order:
    """A request that has passed all checks except those of the settlement."""

    user_id: int
    wager: Cents
    client_seed: str
    item: CatalogueItem
    threshold: int
    request_id: str | None
    request_digest: str | None
    clock: Clock


class Upgrader:
    """Plays spins."""

    def __init__(self, *, rules: UpgraderRules, catalogue: CatalogueCache, seeds: ServerSeeds) -> None:
        self.rules = rules
        self._catalogue = catalogue
        self._seeds = seeds

    def play(self, *, user_id: int, request: SpinRequest, clock: Clock) -> Spin:
        """Take the wager, roll, and credit the item's value when the roll wins.

        The caller holds the player's spin lock. ``clock`` is read when the bet is settled. Raises the errors
        of services/upgrader/errors.py in the order of the checks below, InsufficientBalance last, and changes
        nothing then. A repeated request id returns the first spin again.
        """
        try:
            return self._play(user_id=user_id, request=request, clock=clock)
        except (PlatformError, peewee.IntegrityError):
            # A lookup before the spin would cost every spin a query, and miss concurrent ones.
            if request.request_id is not None and (earlier := self._answered(user_id, request)):
                return earlier
            raise

    def _play(self, *, user_id: int, request: SpinRequest, clock: Clock) -> Spin:
        wager = self._wager(request.amount)
        client_seed = _client_seed(request.client_seed)
        item = self._item(request.item)
        _check_price(item, request.price, wager)
        threshold = self._threshold(wager, item.price_cents)
        order = _Order(
            user_id=user_id,
            wager=wager,
            client_seed=client_seed or users.get_by_id(user_id).client_seed,
            item=item,
            threshold=threshold,
            request_id=request.request_id,
            request_digest=request.digest() if request.request_id is not None else None,
            clock=clock,
        )
        expected = request.server_seed_commitment
        recalled = self._seeds.recall(user_id=user_id)
        if recalled is not None and expected in (None, recalled.commitment):
            spin = self._settle(order, recalled)
            if spin is not None:
                return spin
        # No seed is remembered, or another process has used it.
        seed = self._seeds.in_play(user_id=user_id)
        # A player must know the commitment before the spin, so it never uses a seed that was just redrawn.
        if seed.is_redrawn or expected not in (None, seed.commitment):
            raise CommitmentMismatch
        spin = self._settle(order, seed)
        if spin is None:
            raise SpinInProgress
        return spin

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
        threshold = rolls.threshold(
            wager_cents=wager, price_cents=price, house_edge_ppm=self.rules.house_edge_ppm
        )
        if threshold == 0:
            raise WagerTooSmall
        return threshold

    def _settle(self, order: _Order, seed: SeedInPlay) -> Spin | None:
        """Roll with this seed and settle. None, without a change, if another spin has used the seed."""
        following = self._seeds.draw(nonce=seed.nonce + 1)
        settlement = self._roll(order, seed, following)
        try:
            settled = settle(settlement, clock=order.clock, proof_delay=self.rules.proof_delay)
        except SeedUsed:
            return None
        self._seeds.witness.settled(user_id=order.user_id, nonce=seed.nonce)
        invalidate(Tag.BETS)
        self._seeds.remember(user_id=order.user_id, seed=following)
        bet = bet_of(settlement, settled)
        # The statement may have waited for a row lock or the network, and the player for the answer.
        now = order.clock()
        is_late = now - settled.times.created_at_ms > SLOW_SETTLEMENT_MS
        if is_late:
            bet.completed_at_ms = now + self.rules.proof_delay
        return Spin(
            bet=bet,
            is_late=is_late,
            following=following.announcement,
            balances=Balances(
                balance=Cents(settled.balance),
                vault=Cents(settled.vault),
                sweepstake=Cents(settled.sweepstake),
                version=settled.version,
            ),
        )

    def _roll(self, order: _Order, seed: SeedInPlay, following: SeedInPlay) -> Settlement:
        roll = rolls.roll(
            server_seed=seed.server_seed, client_seed=order.client_seed, nonce=seed.nonce, round_=ROUND
        )
        won = roll < order.threshold
        payout = order.item.price_cents if won else Cents(0)
        mark = self._seeds.witness.known()
        return Settlement(
            user_id=order.user_id,
            nonce=seed.nonce,
            server_seed_commitment=seed.commitment,
            sealed_server_seed=seed.encrypted,
            next_commitment=following.commitment,
            next_sealed_server_seed=following.encrypted,
            mark_number=mark.number,
            mark_token=mark.token,
            game=GAME,
            wager_cents=order.wager,
            payout_cents=payout,
            status=WON if won else LOST,
            item=order.item.market_hash_name,
            price_cents=order.item.price_cents,
            house_edge_ppm=self.rules.house_edge_ppm,
            threshold=order.threshold,
            roll=roll,
            client_seed=order.client_seed,
            request_id=order.request_id,
            request_digest=order.request_digest,
            shard=order.user_id % LIVE_BET_SHARDS,
            high_rolls=int(is_high_roll(wager=order.wager, payout=payout)),
        )


def _client_seed(given: object) -> str | None:
    """The seed that the player sent; None for the seed of the profile."""
    if given is None or given == "":
        return None
    if not rolls.is_client_seed(given):
        raise InvalidClientSeed
    return str(given)


def _check_price(item: CatalogueItem, seen: float | Decimal | None, wager: Cents) -> None:
    if seen is not None and _cents_or_none(seen) != item.price_cents:
        raise ItemPriceChanged
    if item.price_cents <= wager:
        raise PriceNotAboveWager


def _cents_or_none(number: object) -> Cents | None:
    try:
        return cents_from_number(number)
    except NotAnAmount:
        return None


def _comparable(part: object) -> object:
    """Amounts by value, so that 5, 5.0 and 5.00 are the same content; anything else as it is."""
    cents = _cents_or_none(part)
    if cents is not None:
        return int(cents)
    return part if part is None or isinstance(part, bool | str) else repr(part)
