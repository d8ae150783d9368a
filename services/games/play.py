"""A bet of any game: its seeds, its settlement, and the first answer again for a repeated request id."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

import peewee

from models.bets import Bet
from models.db.connection import reading
from models.prizes import Prize
from models.settling_statement import Outcome, Settlement
from models.totals import LIVE_BET_SHARDS
from services.accounts import users
from services.accounts.balances import Balances
from services.fairness import rolls
from services.fairness.server_seeds import Commitment, SeedInPlay, ServerSeeds
from services.games.errors import CommitmentMismatch, InvalidClientSeed, RequestIdReused, SpinInProgress
from services.games.settlement import SeedUsed, bet_of, check_player, is_high_roll, settle
from services.ledger.posting import Kind
from services.shared import decimal_json
from services.shared.cache_invalidation import Tag, invalidate
from services.shared.clock import Millis
from services.shared.errors import PlatformError
from services.shared.money import Cents, NotAnAmount, cents_from_number

WON = "won"
LOST = "lost"

SLOW_SETTLEMENT_MS = 250
"""After a settlement that took longer, the due time of the proof is postponed."""

Clock = Callable[[], Millis]


@dataclass(frozen=True, kw_only=True)
class BetRequest:
    """What the requests of all games have in common, as the player sent it.

    ``client_seed`` and the commitment are not validated yet: the checks have a documented order.
    """

    client_seed: object = None
    server_seed_commitment: object = None
    price: int | float | Decimal | None = None
    request_id: str | None = None

    def identity(self) -> list[object]:
        """What must be the same when a request id is repeated."""
        raise NotImplementedError

    def digest(self) -> str:
        """A hash of the identity. Amounts go by value: 5, 5.0 and 5.00 are the same."""
        identity = decimal_json.dumps([_comparable(part) for part in self.identity()])
        return hashlib.sha256(identity.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """The mean of a bet's payout and its variance, by the bet's chances."""

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

    def longest_wait_ms(self) -> int | None:
        """How long the settlement, about to begin, may wait for seed and player; None if it does not matter.

        Raises TermsExpired for terms that are too old already.
        """


@dataclass(frozen=True, kw_only=True)
class PlayedBet:
    """A settled bet. ``following`` and ``balances`` are None for the first answer to a repeated request id.

    ``prize_id`` is None for a bet that does not win a prize. ``is_late``: the bet's due time is later than in
    the database; ``Proofs.postpone`` must write it.
    """

    bet: Bet
    expectation: Expectation | None = None
    prize_id: int | None = None
    following: Commitment | None = None
    balances: Balances | None = None
    is_late: bool = False


class Play:
    """Plays the bets of all games."""

    def __init__(
        self,
        *,
        seeds: ServerSeeds,
        proof_delay: Millis,
        min_cycle: Millis,
        session_limit: Millis,
    ) -> None:
        """``min_cycle`` is the least time between two bets of a player.

        ``session_limit`` is the longest time of play without a pause of half an hour; 0 for any time.
        """
        self.proof_delay = proof_delay
        self._seeds = seeds
        self._min_cycle = min_cycle
        self._session_limit = session_limit

    def play(
        self, *, user_id: int, request: BetRequest, check: Callable[[], Terms], clock: Clock
    ) -> PlayedBet:
        """Take the wager, decide the outcome, and credit the payout.

        The caller holds the player's lock. ``check`` applies the rules of the game, and ``clock`` is read
        when the bet is settled. Raises the refusals of ``check``, then those of the player's account and
        limits, then CommitmentMismatch, and FreeCaseNotAvailable or InsufficientBalance last; a refused bet
        changes nothing. Raises TermsExpired, without a change, if the terms were too old when the bet was
        settled. A repeated request id returns the first bet again, whatever has changed since.
        """
        try:
            return self._play(user_id=user_id, request=request, terms=check(), clock=clock)
        except (PlatformError, peewee.IntegrityError):
            # A lookup before the bet would cost every bet a query, and miss concurrent ones.
            if request.request_id is not None and (earlier := _answered(user_id, request)):
                return earlier
            raise

    def _play(self, *, user_id: int, request: BetRequest, terms: Terms, clock: Clock) -> PlayedBet:
        order = _Order(
            user_id=user_id,
            request=request,
            terms=terms,
            client_seed=terms.client_seed or users.get_by_id(user_id).client_seed,
            clock=clock,
        )
        expected = request.server_seed_commitment
        recalled = self._seeds.recall(user_id=user_id)
        if recalled is not None and expected in (None, recalled.commitment):
            played = self._settle(order, recalled)
            if played is not None:
                return played
        # No seed is remembered, or another process has used it.
        seed = self._seeds.in_play(user_id=user_id)
        # A player must know the commitment before the bet, so it never uses a seed that was just redrawn.
        if seed.is_redrawn or expected not in (None, seed.commitment):
            check_player(self._settlement(order, seed, seed), clock=clock)
            raise CommitmentMismatch
        played = self._settle(order, seed)
        if played is None:
            raise SpinInProgress
        return played

    def _settle(self, order: "_Order", seed: SeedInPlay) -> PlayedBet | None:
        """Decide the bet with this seed and settle it. None, without a change, if another bet has used it."""
        following = self._seeds.draw(nonce=seed.nonce + 1)
        settlement = self._settlement(order, seed, following)
        try:
            settled = settle(
                settlement,
                clock=order.clock,
                proof_delay=self.proof_delay,
                longest_wait_ms=order.terms.longest_wait_ms,
            )
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
            bet.completed_at_ms = now + self.proof_delay
        return PlayedBet(
            bet=bet,
            expectation=order.terms.expectation(),
            prize_id=settled.prize_id,
            is_late=is_late,
            following=following.announcement,
            balances=Balances(
                balance=Cents(settled.balance),
                vault=Cents(settled.vault),
                sweepstake=Cents(settled.sweepstake),
                version=settled.version,
            ),
        )

    def _settlement(self, order: "_Order", seed: SeedInPlay, following: SeedInPlay) -> Settlement:
        outcome = order.terms.outcome(
            server_seed=seed.server_seed, client_seed=order.client_seed, nonce=seed.nonce
        )
        mark = self._seeds.witness.known()
        request = order.request
        return Settlement(
            **vars(outcome),
            user_id=order.user_id,
            nonce=seed.nonce,
            server_seed_commitment=seed.commitment,
            sealed_server_seed=seed.encrypted,
            client_seed=order.client_seed,
            next_commitment=following.commitment,
            next_sealed_server_seed=following.encrypted,
            mark_number=mark.number,
            mark_token=mark.token,
            request_id=request.request_id,
            request_digest=request.digest() if request.request_id is not None else None,
            shard=order.user_id % LIVE_BET_SHARDS,
            high_rolls=int(
                is_high_roll(wager=Cents(outcome.wager_cents), payout=Cents(outcome.payout_cents))
            ),
            ledger_kind=Kind.SPIN if outcome.case_id is None else Kind.OPENING,
            min_cycle_ms=self._min_cycle,
            session_limit_ms=self._session_limit,
        )


@dataclass(frozen=True, kw_only=True)
class _Order:
    """A bet that only its seed and its settlement may refuse."""

    user_id: int
    request: BetRequest
    terms: Terms
    client_seed: str
    clock: Clock


@reading()
def _answered(user_id: int, request: BetRequest) -> PlayedBet | None:
    bet = Bet.get_or_none(Bet.user == user_id, Bet.request_id == request.request_id)
    if bet is None:
        return None
    if bet.request_digest != request.digest():
        raise RequestIdReused
    return PlayedBet(bet=bet, prize_id=Prize.select(Prize.id).where(Prize.bet == bet).scalar())


def client_seed_of(request: BetRequest) -> str | None:
    """The seed that the player sent; None for the seed of the profile. Raises InvalidClientSeed."""
    given = request.client_seed
    if given is None or given == "":
        return None
    if not rolls.is_client_seed(given):
        raise InvalidClientSeed
    return str(given)


def is_price(seen: object, price: Cents) -> bool:
    """Whether the price that a player saw, in coins, is this one. A player need not send it."""
    return seen is None or _cents_or_none(seen) == price


def _cents_or_none(number: object) -> Cents | None:
    try:
        return cents_from_number(number)
    except NotAnAmount:
        return None


def _comparable(part: Any) -> object:
    """Amounts as cents; anything else as it is."""
    cents = _cents_or_none(part)
    if cents is not None:
        return int(cents)
    return part if part is None or isinstance(part, bool | str) else repr(part)
