"""Settles a bet of any game, all or nothing: its seed, its outcome, its rows, and its receipt.

``OF_EVERY_BET`` in services/bets/terms.py has the order of the refusals. services/bets/writer.py writes the
rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import peewee

from models import proof_queries
from models.bet_settlement import BET_FIELDS, Settlement
from models.bets import Bet, Prize
from models.db.connection import reading
from models.figures import LIVE_BET_SHARDS
from models.users import Balances
from services.accounts import access, users
from services.bets.seeds import Commitment, DrawnSeed, ServerSeeds
from services.bets.terms import (
    UPGRADER,
    CommitmentMismatch,
    Expectation,
    Game,
    RequestIdReused,
    RequestT,
    SeedUsed,
    StaleCase,
    Terms,
)
from services.bets.writer import BetWriter
from services.ledger.posting import LedgerKind
from services.log import entries
from services.log.bet_log import BetLog
from services.log.entries import LoggedBet
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.signals import Tag, invalidate
from settings import Settings

TERMS_ATTEMPTS = 3
"""How often an opening is tried whose case was read too long ago."""

SEED_ATTEMPTS = 3
"""How often a bet is tried on the same terms: with the remembered seed, with the announced one, and again
after that one was redrawn."""

SLOW_SETTLEMENT_MS = 250
"""After a settlement that took longer, the proof is due later than was written."""


@dataclass(frozen=True, kw_only=True)
class SettledBet:
    """A settled bet. A retry (a request id that has a bet) returns the earlier bet as this class."""

    bet: Bet
    user_id: int
    prize_id: int | None
    """None for a bet that does not win a prize."""


@dataclass(frozen=True, kw_only=True)
class NewBet(SettledBet):
    """A bet that was settled now, with what is sent and counted for it."""

    values: Mapping[str, Any]
    """Its columns, and the parameters of its settlement."""
    pseudonym: str
    """The player's name in the log."""
    expectation: Expectation | None
    next_commitment: Commitment
    balances: Balances
    is_slow: bool
    """The proof is due later than the database says until ``postpone_proof`` has written it."""


class BetSettler:
    """Settles the bets of all games. The clock is read when the waits for the database are over."""

    def __init__(
        self, *, seeds: ServerSeeds, bet_log: BetLog, settings: Settings, clock: Callable[[], Millis]
    ) -> None:
        self._seeds = seeds
        self._bet_log = bet_log
        self._settings = settings
        self._clock = clock
        self._writer = BetWriter(bet_log=bet_log, settings=settings, clock=clock)

    def settle(self, game: Game[RequestT], request: RequestT) -> SettledBet:
        """Take the wager, decide the outcome, and credit the payout.

        The caller holds the player's lock. Raises the refusals in the promised order; a refused bet changes
        nothing. Raises StaleCase, without a change, if the database is so slow that no attempt is settled in
        time. A retry returns the earlier bet, whatever has changed since.
        """
        try:
            return self._settle(game, request)
        except (Refusal, StaleCase, peewee.IntegrityError):
            # A lookup before the bet would cost every bet a query, and miss concurrent ones.
            if request.request_id is not None and (earlier := _earlier_bet(game, request)):
                return earlier
            raise

    def _settle(self, game: Game[RequestT], request: RequestT) -> NewBet:
        for _ in range(TERMS_ATTEMPTS - 1):
            try:
                return self._settle_on(game.check(request), game, request)
            except StaleCase:
                # It may have been read slowly, and would be too old in the next attempt as well.
                game.forget_cached()
        return self._settle_on(game.check(request), game, request)

    def _settle_on(self, terms: Terms, game: Game[RequestT], request: RequestT) -> NewBet:
        expected = request.server_seed_commitment
        seed = self._seeds.take_remembered(user_id=request.user_id)
        for _ in range(SEED_ATTEMPTS):
            if seed is None or expected not in (None, seed.commitment):
                seed = self._seeds.load(user_id=request.user_id)
            next_seed = self._seeds.draw(nonce=seed.nonce + 1)
            settlement = self._decide(game, request, terms, seed, next_seed)
            if expected not in (None, seed.commitment):
                with reading():
                    raise self._writer.refusal_of_player(settlement) or CommitmentMismatch()
            try:
                return self._store(settlement, terms, next_seed)
            except SeedUsed:
                # By another process, or it must be redrawn: the announced seed is read again.
                seed = None
        raise SeedUsed

    def _decide(
        self,
        game: Game[RequestT],
        request: RequestT,
        terms: Terms,
        seed: DrawnSeed,
        next_seed: DrawnSeed,
    ) -> Settlement:
        """The bet, decided with this seed, and the seed that is announced next."""
        client_seed = str(request.client_seed or users.get_by_id(request.user_id).client_seed)
        outcome = terms.outcome(server_seed=seed.server_seed, client_seed=client_seed, nonce=seed.nonce)
        return Settlement(
            **vars(outcome),
            user_id=request.user_id,
            token_number=request.token_number,
            nonce=seed.nonce,
            server_seed_commitment=seed.commitment,
            encrypted_server_seed=seed.encrypted,
            client_seed=client_seed,
            next_commitment_hex=next_seed.commitment,
            next_encrypted_server_seed=next_seed.encrypted,
            request_id=request.request_id,
            request_digest=request.digest(game.name) if request.request_id is not None else None,
            shard=request.user_id % LIVE_BET_SHARDS,
            ledger_kind=LedgerKind.SPIN if game.name == UPGRADER else LedgerKind.OPENING,
        )

    def _store(self, settlement: Settlement, terms: Terms, next_seed: DrawnSeed) -> NewBet:
        """Write the bet. Raises SeedUsed if another bet has used its seed."""
        # Before the bet, because it may have to be read.
        pseudonym = self._bet_log.pseudonyms.of_user(settlement.user_id)
        stored = self._writer.write(settlement)
        self._bet_log.remember_bet(user_id=settlement.user_id, nonce=settlement.nonce)
        self._seeds.remember_next(next_seed, user_id=settlement.user_id)
        invalidate(Tag.BETS)
        row = {field.name: stored.values[field.column_name] for field in BET_FIELDS}
        # The settlement may have waited for a row lock or the network, and the player for the answer.
        now = self._clock()
        is_slow = now - row["created_at_ms"] > SLOW_SETTLEMENT_MS
        if is_slow:
            row["proof_due_at_ms"] = now + self._settings.upgrader_proof_delay_ms
        return NewBet(
            bet=Bet.of_row({"id": stored.id, **row}),
            user_id=settlement.user_id,
            prize_id=stored.prize_id,
            values=stored.values,
            pseudonym=pseudonym,
            expectation=terms.expectation(),
            next_commitment=next_seed.announcement,
            balances=stored.balances,
            is_slow=is_slow,
        )

    def receipt(self, settled: NewBet) -> str:
        """The signed promise that the bet is in the public log within ten seconds."""
        values = {**settled.values, "snapshot": settled.values["snapshot_hash"]}
        logged = LoggedBet._make(values[name] for name in LoggedBet._fields)
        return self._bet_log.receipt(entries.bet(logged, player=settled.pseudonym))

    def receipt_of_earlier(self, settled: SettledBet) -> str:
        """The same of a bet that was settled before. Raises what ``reading()`` raises."""
        return self._bet_log.receipt_of_bet(user_id=settled.user_id, nonce=settled.bet.nonce)

    def postpone_proof(self, settled: NewBet) -> None:
        """Write when the proof of a bet is due whose settlement was slow."""
        proof_queries.postpone(settled.bet.id, due_at=settled.bet.proof_due_at_ms)


@reading()
def _earlier_bet(game: Game[RequestT], request: RequestT) -> SettledBet | None:
    """The bet that this request id belongs to.

    Raises Unauthorized if the token was revoked, RequestIdReused if it was another request.
    """
    access.check_token_number(users.get_by_id(request.user_id), request.token_number)
    bet = Bet.get_or_none(Bet.user == request.user_id, Bet.request_id == request.request_id)
    if bet is None:
        return None
    if bet.request_digest != request.digest(game.name):
        raise RequestIdReused
    prize_id = Prize.select(Prize.id).where(Prize.bet == bet).scalar()
    return SettledBet(bet=bet, user_id=request.user_id, prize_id=prize_id)
