"""Settles a bet of any game: its seeds, its settlement, and the first answer to a repeated request."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import peewee

from models.bet_settlement import BET_FIELDS, BetTimes, Settlement, settle_at_once
from models.bets import Bet
from models.db.connection import UNAVAILABLE, Sqlite, database, reading
from models.db.new_connections import RolledBack
from models.live_bet_counts import LIVE_BET_SHARDS
from models.play_limits import BetRefused, find_refusal
from models.prizes import Prize
from models.users import Balances
from services.accounts import access, users
from services.fairness import rolls
from services.fairness.server_seeds import Commitment, SeedInPlay, ServerSeeds
from services.games.errors import (
    CommitmentMismatch,
    InvalidClientSeed,
    RequestIdReused,
    SeedUsed,
    TermsExpired,
)
from services.games.settlement import refusal_of, settle_in_group
from services.games.terms import BetRequest, Expectation, Terms
from services.ledger.posting import LedgerKind
from services.log import entries
from services.log.entries import LoggedBet
from services.shared.cache_invalidation import Tag, invalidate
from services.shared.clock import CalendarPeriod, Millis
from services.shared.errors import Refusal
from settings import Settings

ATTEMPTS = 3
"""How often a bet is tried: with the remembered seed, with the announced one, and again after a redraw."""

SLOW_SETTLEMENT_MS = 250
"""After a settlement that took longer, the due time of the proof is postponed."""

ENTRY_VALUES = {"snapshot": "snapshot_hash", "next_commitment": "next_commitment_bytes"}
"""The values of a settlement whose columns have other names in an entry."""

Clock = Callable[[], Millis]


@dataclass(frozen=True, kw_only=True)
class SettledBet:
    """A settled bet. ``following`` and ``balances`` are None for the first answer to a repeated request id.

    ``prize_id`` is None for a bet that does not win a prize. ``is_late``: the settlement was slow, and the
    proof is due later than the database says until ``proof_queries.postpone`` has written it.
    """

    bet: Bet
    expectation: Expectation | None = None
    prize_id: int | None = None
    following: Commitment | None = None
    balances: Balances | None = None
    is_late: bool = False
    entry: bytes | None = None
    """The bet's entry in the log, to which it will be appended."""


class BetSettler:
    """Settles the bets of all games."""

    def __init__(self, *, seeds: ServerSeeds, settings: Settings) -> None:
        self._seeds = seeds
        self._settings = settings

    def settle(
        self, *, user_id: int, request: BetRequest, check: Callable[[], Terms], clock: Clock
    ) -> SettledBet:
        """Take the wager, decide the outcome, and credit the payout.

        The caller holds the player's lock. ``check`` applies the rules of the game, and ``clock`` is read
        when the bet is settled. Raises the refusals of ``check``, then those of the player's account and
        limits, then CommitmentMismatch, and FreeCaseNotAvailable or InsufficientBalance last; a refused bet
        changes nothing. Raises TermsExpired, without a change, if the terms were too old when the bet was
        settled. A repeated request id returns the first bet again, whatever has changed since.
        """
        try:
            return self._settle(user_id, request, check(), clock)
        except (Refusal, TermsExpired, peewee.IntegrityError):
            # A lookup before the bet would cost every bet a query, and miss concurrent ones.
            if request.request_id is not None and (earlier := _answered(user_id, request)):
                return earlier
            raise

    def _settle(self, user_id: int, request: BetRequest, terms: Terms, clock: Clock) -> SettledBet:
        client_seed = terms.client_seed or users.get_by_id(user_id).client_seed

        def settle_with(seed: SeedInPlay) -> SettledBet:
            following = self._seeds.draw(nonce=seed.nonce + 1)
            settlement = self._settlement(user_id, request, terms, client_seed, seed, following)
            return self._write(settlement, terms, clock, following)

        expected = request.server_seed_commitment
        seed = self._seeds.recall(user_id=user_id)
        for _ in range(ATTEMPTS):
            if seed is None or expected not in (None, seed.commitment):
                seed = self._seeds.in_play(user_id=user_id)
            if expected not in (None, seed.commitment):
                self._check_player(self._settlement(user_id, request, terms, client_seed, seed, seed), clock)
                raise CommitmentMismatch
            try:
                return settle_with(seed)
            except SeedUsed:
                # By another process, or it must be redrawn: the announced seed is read again.
                seed = None
        raise SeedUsed

    def _settlement(
        self,
        user_id: int,
        request: BetRequest,
        terms: Terms,
        client_seed: str,
        seed: SeedInPlay,
        following: SeedInPlay,
    ) -> Settlement:
        """The bet, decided with this seed, and the seed that is announced next."""
        outcome = terms.outcome(server_seed=seed.server_seed, client_seed=client_seed, nonce=seed.nonce)
        known = self._seeds.log.known()
        return Settlement(
            **vars(outcome),
            user_id=user_id,
            token_number=request.token_number,
            nonce=seed.nonce,
            server_seed_commitment=seed.commitment,
            encrypted_server_seed=seed.encrypted,
            client_seed=client_seed,
            next_commitment=following.commitment,
            next_encrypted_server_seed=following.encrypted,
            next_commitment_bytes=bytes.fromhex(following.commitment),
            checkpoint_size=known.size,
            checkpoint_root=known.root,
            request_id=request.request_id,
            request_digest=request.digest() if request.request_id is not None else None,
            shard=user_id % LIVE_BET_SHARDS,
            ledger_kind=LedgerKind.SPIN if outcome.case_id is None else LedgerKind.OPENING,
            min_cycle_ms=self._settings.game_min_cycle_ms,
            longest_play_ms=self._settings.longest_play_ms,
        )

    def _write(self, settlement: Settlement, terms: Terms, clock: Clock, following: SeedInPlay) -> SettledBet:
        """Write the bet, all or nothing. Raises SeedUsed if another bet has used its seed."""
        write = settle_in_group if isinstance(database.obj, Sqlite) else settle_at_once
        # Before the bet is settled: afterwards nothing may fail.
        player = self._seeds.log.pseudonyms.of_user(settlement.user_id)
        try:
            try:
                settled = write(settlement, lambda: self._times(clock()))
            except RolledBack:
                # Nothing is written, and the seed is still the player's.
                settled = write(settlement, lambda: self._times(clock()))
        except UNAVAILABLE:
            # The bet may be settled although the database's answer was lost.
            invalidate(Tag.BETS)
            raise
        if isinstance(settled, BetRefused):
            raise refusal_of(settled)
        self._seeds.log.remember_bet(user_id=settlement.user_id, nonce=settlement.nonce)
        invalidate(Tag.BETS)
        self._seeds.remember(user_id=settlement.user_id, seed=following)
        values = vars(settlement) | vars(settled.times)
        stored = {field.name: values[field.column_name] for field in BET_FIELDS}
        bet = Bet.of_row({"id": settled.bet_id, **stored})
        # The settlement may have waited for a row lock or the network, and the player for the answer.
        now = clock()
        is_late = now - settled.times.created_at_ms > SLOW_SETTLEMENT_MS
        if is_late:
            bet.completed_at_ms = now + self._settings.upgrader_proof_delay_ms
        return SettledBet(
            bet=bet,
            expectation=terms.expectation(),
            prize_id=settled.prize_id,
            is_late=is_late,
            following=following.announcement,
            balances=settled.balances,
            entry=_entry(values, player=player),
        )

    def _times(self, now: Millis) -> BetTimes:
        return BetTimes(
            created_at_ms=now,
            completed_at_ms=now + self._settings.upgrader_proof_delay_ms,
            day=CalendarPeriod.DAY.start(now),
            week=CalendarPeriod.WEEK.start(now),
            month=CalendarPeriod.MONTH.start(now),
        )

    @reading()
    def _check_player(self, settlement: Settlement, clock: Clock) -> None:
        """Raise what the settlement would raise because of the player's account, breaks and limits.

        For a bet whose commitment is wrong: these reasons come before that one in the documented order.
        """
        if refused := find_refusal(vars(settlement) | vars(self._times(clock()))):
            raise refusal_of(refused)


def _entry(values: Mapping[str, Any], *, player: str) -> bytes:
    """The entry in the log of a bet with these values."""
    settled = LoggedBet._make(values[ENTRY_VALUES.get(name, name)] for name in LoggedBet._fields)
    return entries.bet(settled, player=player)


@reading()
def _answered(user_id: int, request: BetRequest) -> SettledBet | None:
    """The bet that this request id belongs to.

    Raises Unauthorized if the token was revoked, RequestIdReused if it was another request.
    """
    access.check_token_number(users.get_by_id(user_id), request.token_number)
    bet = Bet.get_or_none(Bet.user == user_id, Bet.request_id == request.request_id)
    if bet is None:
        return None
    if bet.request_digest != request.digest():
        raise RequestIdReused
    return SettledBet(bet=bet, prize_id=Prize.select(Prize.id).where(Prize.bet == bet).scalar())


def client_seed_of(request: BetRequest) -> str | None:
    """The seed that the player sent; None for the seed of the profile. Raises InvalidClientSeed."""
    given = request.client_seed
    if given is None or given == "":
        return None
    if not rolls.is_client_seed(given):
        raise InvalidClientSeed
    return str(given)
