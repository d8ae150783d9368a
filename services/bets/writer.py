"""Writes bets, each all or nothing: its seed, its player, its rows. The SQL is in models/bet_settlement.py.

Bets that come together are written together: on PostgreSQL in one statement, on SQLite one after the other in
one transaction. A bet that is refused is refused alone, and a locked player delays nobody else.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson
import peewee

from models import bet_settlement as sql
from models.bet_settlement import NEXT_COMMITMENT, Common, Settlement
from models.db.batches import Batches
from models.db.connection import UNAVAILABLE, database, reading, writing
from models.db.new_connections import RolledBack
from models.db.sql import execute, execute_prepared
from models.db.sqlite import Sqlite
from models.limits import REFUSAL
from models.users import PERMANENTLY, Balances
from services.bets.terms import PlayTimeReached, SeedUsed, SpinInProgress, StaleCase, TooSoon
from services.limits import exclusions
from services.limits.limits import LimitReached
from services.log.bet_log import BetLog
from services.rewards.free_openings import refusal_of_use
from services.shared.clock import CalendarPeriod, Millis
from services.shared.errors import AccountSuspended, InsufficientBalance, Unauthorized
from services.shared.signals import Tag, invalidate
from settings import Settings

REFUSALS: dict[str, type[Exception]] = {
    "stale": StaleCase,
    "ended": Unauthorized,
    "suspended": AccountSuspended,
    "play session": PlayTimeReached,
    "cycle": TooSoon,
}
"""Errors by the reasons of ``models/limits.py``, without those of breaks and limits."""


class StoredBet(NamedTuple):
    """The ids that a bet and its prize were given, the player's new balances, and all values of the bet."""

    id: int
    prize_id: int | None
    balances: Balances
    values: Mapping[str, Any]


class LeftOut(Exception):
    """The bet can't be written together with others. It is written alone."""


class NotAllowed(Exception):
    """The player's row does not allow the bet with these values."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__()
        self.values = values


Outcome = StoredBet | Exception


class BetWriter:
    """Writes bets. The clock is read when the waits for the database are over."""

    def __init__(self, *, bet_log: BetLog, settings: Settings, clock: Callable[[], Millis]) -> None:
        self._bet_log = bet_log
        self._settings = settings
        self._clock = clock
        self._batches: Batches[Settlement, StoredBet] = Batches(self._write_together)

    def write(self, settlement: Settlement) -> StoredBet:
        """Write the bet.

        Raises SeedUsed, SpinInProgress while another process settles a bet of the player, the refusals of the
        player's account and limits, and InsufficientBalance, or what refuses a reward; BetsPaused;
        peewee.IntegrityError if the request id has a bet already, or another snapshot has the id of this one.
        """
        try:
            try:
                return self._write(settlement)
            except RolledBack:
                # Nothing is written, and the seed is still the player's.
                return self._write(settlement)
        except NotAllowed as refused:
            raise _refusal(refused.values) from None
        except UNAVAILABLE:
            # The bet may be settled although the database's answer was lost.
            invalidate(Tag.BETS)
            raise

    def refusal_of_player(self, settlement: Settlement) -> Exception | None:
        """Why the player's account, breaks and limits do not allow the bet; None if they do."""
        return refusal_of_player(self._values(settlement, self._common()))

    def _write(self, settlement: Settlement) -> StoredBet:
        try:
            return self._batches.run(settlement)
        except LeftOut:
            with database.obj.connection_for_single_bet():
                (outcome,) = self._write_in_one_statement([settlement], is_alone=True)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def _write_together(self, settlements: Sequence[Settlement]) -> list[Outcome]:
        if isinstance(database.obj, Sqlite):
            with reading():
                return self._write_in_one_transaction(settlements)
        if len({each.user_id for each in settlements}) < len(settlements):
            # Callers hold the player's lock. The statement would take two bets of a player for one.
            return [LeftOut() for _ in settlements]
        with database.slot(), database.connection_context():
            try:
                return self._write_in_one_statement(settlements, is_alone=False)
            except peewee.IntegrityError:
                # Of any of them, such as a request id that is being used.
                return [LeftOut() for _ in settlements]

    def _write_in_one_statement(self, settlements: Sequence[Settlement], *, is_alone: bool) -> list[Outcome]:
        """Write bets of different players on PostgreSQL, with the connection that is open."""
        name, statement = ("settle_alone", sql.SETTLE_ALONE) if is_alone else ("settle", sql.SETTLE)
        common = self._common()
        # The text of a snapshot is long, and only the first opening of a content needs it.
        omitted = {} if is_alone else {"snapshot_text": None}
        bets = orjson.dumps([vars(settlement) | omitted for settlement in settlements]).decode()
        values = {"bets": bets, "count": len(settlements), **common._asdict()}
        rows = {row[0]: row for row in execute_prepared(name, statement, values)}
        outcomes: list[Outcome] = []
        for settlement in settlements:
            values = self._values(settlement, common)
            _, is_taken, is_locked, bet_id, prize_id, *balances = rows[settlement.user_id]
            if bet_id is not None:
                outcomes.append(StoredBet(bet_id, prize_id, Balances(*balances), values))
            elif is_locked:
                outcomes.append(NotAllowed(values))
            elif not is_taken:
                outcomes.append(SpinInProgress())
            else:
                outcomes.append(SeedUsed() if is_alone else LeftOut())
        return outcomes

    def _write_in_one_transaction(self, settlements: Sequence[Settlement]) -> list[Outcome]:
        """Write bets on SQLite, with the connection that is open."""
        # Before the transaction, because it may write to the file of this machine.
        self._bet_log.checkpoint()
        with writing():
            common = self._common()
            return [_attempt(self._values(settlement, common)) for settlement in settlements]

    def _common(self) -> Common:
        """What bets have in common that are written now. Raises BetsPaused."""
        checkpoint, now = self._bet_log.checkpoint(), self._clock()
        return Common(
            created_at_ms=now,
            proof_due_at_ms=now + self._settings.upgrader_proof_delay_ms,
            day=CalendarPeriod.DAY.start(now),
            week=CalendarPeriod.WEEK.start(now),
            month=CalendarPeriod.MONTH.start(now),
            checkpoint_size=checkpoint.size,
            checkpoint_root=checkpoint.root_hex,
            min_cycle_ms=self._settings.game_min_cycle_ms,
            longest_play_ms=self._settings.longest_play_ms,
        )

    @staticmethod
    def _values(settlement: Settlement, common: Common) -> dict[str, Any]:
        next_commitment = {NEXT_COMMITMENT: bytes.fromhex(settlement.next_commitment_hex)}
        return vars(settlement) | common._asdict() | next_commitment


def _attempt(values: dict[str, Any]) -> Outcome:
    """Write a bet on SQLite in a savepoint, so that a failure undoes this bet alone."""
    try:
        with database.savepoint():
            return _write_in_steps(values)
    except Exception as error:  # noqa: BLE001  # raised to the bet's caller
        return error


def _write_in_steps(values: dict[str, Any]) -> StoredBet:
    if not execute(sql.USE_SEED, values).rowcount:
        raise SeedUsed
    is_free = values["reward_id"] is not None
    balances = execute(sql.CHANGE_PLAYER_FREE if is_free else sql.CHANGE_PLAYER, values).fetchone()
    if balances is None:
        raise NotAllowed(values)
    if values["snapshot_id"] is not None:
        _run_step(sql.STORE_SNAPSHOT, values)
    values["transaction_id"] = None
    (values["transaction_id"],) = _run_step(sql.INSERT_TRANSACTION, values).fetchone()
    _run_step(sql.INSERT_ENTRIES, values)
    values["bet_id"], *_ = _run_step(sql.INSERT_BET, values).fetchone()
    if is_free and not _run_step(sql.USE_REWARD, values).rowcount:
        raise NotAllowed(values)
    _run_step(sql.LET_BETS_WAIT, values)
    _run_step(sql.COUNT_LIVE_BETS, values)
    prize_id = None
    if values["case_id"] is not None:
        _run_step(sql.COUNT_CASE_SPINS, values)
        prize_id, *_ = _run_step(sql.INSERT_PRIZE, values).fetchone() or (None,)
    return StoredBet(values["bet_id"], prize_id, Balances(*balances), values)


def _run_step(part: str, values: Mapping[str, Any]) -> Any:
    return execute(part.format(**sql.ROWS), values)


def _refusal(values: Mapping[str, Any]) -> Exception:
    """Why the player's row allowed no bet with these values."""
    with reading():
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
