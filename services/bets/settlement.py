"""Settles a bet of any game, all or nothing: its seed, its outcome, its rows, and its receipt.

``OF_EVERY_BET`` in services/bets/terms.py has the order of the refusals. The SQL is in
models/bet_settlement.py: one statement on PostgreSQL, and on SQLite its parts one after the other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import peewee

from models import bet_settlement as sql
from models import proof_queries
from models.bet_settlement import BET_FIELDS, Settlement
from models.bets import Bet, Prize
from models.db.connection import UNAVAILABLE, database, reading
from models.db.group_commit import GroupCommit
from models.db.new_connections import RolledBack
from models.db.sql import execute
from models.db.sqlite import Sqlite
from models.figures import LIVE_BET_SHARDS
from models.limits import REFUSAL
from models.users import PERMANENTLY, Balances
from services.accounts import access, users
from services.bets.seeds import Commitment, DrawnSeed, ServerSeeds
from services.bets.terms import (
    UPGRADER,
    CommitmentMismatch,
    Expectation,
    Game,
    PlayTimeReached,
    RequestIdReused,
    RequestT,
    SeedUsed,
    SpinInProgress,
    StaleCase,
    Terms,
    TooSoon,
)
from services.ledger.posting import LedgerKind
from services.limits import exclusions
from services.limits.limits import LimitReached
from services.log import entries
from services.log.bet_log import BetLog
from services.log.entries import LoggedBet
from services.rewards.free_openings import refusal_of_use
from services.shared.clock import CalendarPeriod, Millis
from services.shared.errors import AccountSuspended, InsufficientBalance, Refusal, Unauthorized
from services.shared.signals import Tag, invalidate
from settings import Settings

TERMS_ATTEMPTS = 3
"""How often an opening is tried whose case was read too long ago."""

SEED_ATTEMPTS = 3
"""How often a bet is tried on the same terms: with the remembered seed, with the announced one, and again
after that one was redrawn."""

SLOW_SETTLEMENT_MS = 250
"""After a settlement that took longer, the proof is due later than was written."""

REFUSALS: dict[str, type[Exception]] = {
    "stale": StaleCase,
    "ended": Unauthorized,
    "suspended": AccountSuspended,
    "play session": PlayTimeReached,
    "cycle": TooSoon,
}
"""Errors by the reasons of ``models/limits.py``, without those of breaks and limits."""

_group_commit = GroupCommit()


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
    """The parameters of its settlement."""
    expectation: Expectation | None
    next_commitment: Commitment
    balances: Balances
    is_slow: bool
    """The proof is due later than the database says until ``postpone_proof`` has written it."""


class StoredBet(NamedTuple):
    """The ids that a bet and its prize were given, the player's new balances, and the parameters."""

    id: int
    prize_id: int | None
    balances: Balances
    values: Mapping[str, Any]


class BetSettler:
    """Settles the bets of all games. The clock is read when the waits for the database are over."""

    def __init__(
        self, *, seeds: ServerSeeds, bet_log: BetLog, settings: Settings, clock: Callable[[], Millis]
    ) -> None:
        self._seeds = seeds
        self._bet_log = bet_log
        self._settings = settings
        self._clock = clock

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
                    raise refusal_of_player(self._parameters(settlement)) or CommitmentMismatch()
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
        checkpoint = self._bet_log.checkpoint()
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
            next_commitment=bytes.fromhex(next_seed.commitment),
            checkpoint_size=checkpoint.size,
            checkpoint_root=checkpoint.root_hex,
            request_id=request.request_id,
            request_digest=request.digest(game.name) if request.request_id is not None else None,
            shard=request.user_id % LIVE_BET_SHARDS,
            ledger_kind=LedgerKind.SPIN if game.name == UPGRADER else LedgerKind.OPENING,
            min_cycle_ms=self._settings.game_min_cycle_ms,
            longest_play_ms=self._settings.longest_play_ms,
        )

    def _store(self, settlement: Settlement, terms: Terms, next_seed: DrawnSeed) -> NewBet:
        """Write the bet. Raises SeedUsed if another bet has used its seed."""
        stored = self.write(settlement)
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
            expectation=terms.expectation(),
            next_commitment=next_seed.announcement,
            balances=stored.balances,
            is_slow=is_slow,
        )

    def write(self, settlement: Settlement) -> StoredBet:
        """Write the bet, all or nothing.

        Raises SeedUsed, the refusals of the player's account and limits, and InsufficientBalance, or what
        refuses a reward; peewee.IntegrityError if the request id has a bet already, or another snapshot
        has the id of this one.
        """
        write = partial(self._write_in_one_statement, settlement)
        if isinstance(database.obj, Sqlite):
            write = partial(_group_commit.run, partial(self._write_in_steps, settlement))
        try:
            try:
                return write()
            except RolledBack:
                # Nothing is written, and the seed is still the player's.
                return write()
        except UNAVAILABLE:
            # The bet may be settled although the database's answer was lost.
            invalidate(Tag.BETS)
            raise

    def _write_in_one_statement(self, settlement: Settlement) -> StoredBet:
        """Write the bet on PostgreSQL.

        When a player bets in two processes at once, the second bet raises SpinInProgress while the first is
        being settled, and SeedUsed afterwards.
        """
        with database.obj.connection_for_bet() as connection:
            statement = sql.SETTLE if settlement.reward_id is None else sql.SETTLE_FREE
            if statement.name not in connection.prepared:
                database.execute_sql(statement.prepare)
                connection.prepared.add(statement.name)
            values = self._parameters(settlement)
            # The text of a snapshot is long, and only the first opening of a content needs it.
            row = _execute(statement, values | {"snapshot_text": None})
            is_locked, has_snapshot, *_ = row
            if is_locked and not has_snapshot:
                row = _execute(statement, values)
            is_locked, _, has_seed, bet_id, prize_id, *balances = row
            if bet_id is not None:
                return StoredBet(bet_id, prize_id, Balances(*balances), values)
            if not is_locked:
                raise SpinInProgress
            raise _refusal(values) if has_seed else SeedUsed

    def _write_in_steps(self, settlement: Settlement) -> StoredBet:
        """Write the bet on SQLite, as part of the transaction that is open."""
        values = self._parameters(settlement)
        if not execute(sql.USE_SEED, values).rowcount:
            raise SeedUsed
        is_free = settlement.reward_id is not None
        balances = execute(sql.CHANGE_PLAYER_FREE if is_free else sql.CHANGE_PLAYER, values).fetchone()
        if balances is None:
            raise _refusal(values)
        if settlement.snapshot_id is not None:
            _run_step(sql.STORE_SNAPSHOT, values)
        (values["transaction_id"],) = _run_step(sql.INSERT_TRANSACTION, values).fetchone()
        _run_step(sql.INSERT_ENTRIES, values)
        values["bet_id"], *_ = _run_step(sql.INSERT_BET, values).fetchone()
        if is_free and not _run_step(sql.USE_OFFERED_REWARD, values).rowcount:
            raise _refusal(values)
        _run_step(sql.LET_BET_WAIT, values)
        _run_step(sql.COUNT_LIVE_BET, values)
        prize_id = None
        if settlement.case_id is not None:
            _run_step(sql.COUNT_CASE_SPIN, values)
            (prize_id,) = _run_step(sql.INSERT_PRIZE, values).fetchone() or (None,)
        return StoredBet(values["bet_id"], prize_id, Balances(*balances), values)

    def _parameters(self, settlement: Settlement) -> dict[str, Any]:
        """The parameters of a bet that is settled now."""
        now = self._clock()
        return vars(settlement) | {
            "created_at_ms": now,
            "proof_due_at_ms": now + self._settings.upgrader_proof_delay_ms,
            "day": CalendarPeriod.DAY.start(now),
            "week": CalendarPeriod.WEEK.start(now),
            "month": CalendarPeriod.MONTH.start(now),
        }

    def receipt(self, settled: SettledBet) -> str:
        """The signed promise that the bet is in the public log within ten seconds."""
        if not isinstance(settled, NewBet):
            return self._bet_log.receipt_of_bet(user_id=settled.user_id, nonce=settled.bet.nonce)
        values = {**settled.values, "snapshot": settled.values["snapshot_hash"]}
        logged = LoggedBet._make(values[name] for name in LoggedBet._fields)
        entry = entries.bet(logged, player=self._bet_log.pseudonyms.of_user(settled.user_id))
        return self._bet_log.receipt(entry)

    def postpone_proof(self, settled: NewBet) -> None:
        """Write when the proof of a bet is due whose settlement was slow."""
        proof_queries.postpone(settled.bet.id, due_at=settled.bet.proof_due_at_ms)


def _execute(statement: sql.Prepared, values: Mapping[str, Any]) -> Any:
    # As a list, because the driver takes 20 us more for a dict.
    return database.execute_sql(statement.execute, [values[name] for name in sql.PARAMETERS]).fetchone()


def _run_step(part: str, values: Mapping[str, Any]) -> Any:
    return execute(part.format(**sql.ROWS), values)


def _refusal(values: Mapping[str, Any]) -> Exception:
    """Why the player's row allowed no bet with these values."""
    refusal = refusal_of_player(values)
    if refusal is None and values["reward_id"] is not None:
        refusal = refusal_of_use(values["reward_id"])
    return refusal or InsufficientBalance()


def refusal_of_player(values: Mapping[str, Any]) -> Exception | None:
    """Why the player's account, breaks and limits do not allow a bet with these values; None if they do."""
    query = f"SELECT {REFUSAL}, excluded_until_ms FROM users WHERE id = :user_id"  # noqa: S608  # a constant
    reason, excluded_until_ms = execute(query, values).fetchone()
    if reason is None:
        return None
    if reason in REFUSALS:
        return REFUSALS[reason]()
    if reason == "excluded":
        return exclusions.refusal(excluded_until_ms or PERMANENTLY)
    limit, period = reason.split()
    period = CalendarPeriod(period)
    return LimitReached(limit=limit, period=period, resets_at=period.end(Millis(values["created_at_ms"])))


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
