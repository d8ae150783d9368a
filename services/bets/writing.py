"""Writes a decided bet, all or nothing: on PostgreSQL with one statement, on SQLite step by step.

The SQL of both is in models/bet_settlement.py. Both raise the refusals in this order: SeedUsed, Unauthorized,
AccountSuspended, TakingABreak or ExcludedPermanently, PlayTimeReached, TooSoon, TermsExpired,
LimitReached, and then FreeCaseNotAvailable or InsufficientBalance.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from models import bet_settlement as sql
from models.bet_settlement import ROWS, Settlement
from models.db.connection import database
from models.db.group_commit import GroupCommit
from models.db.sql import execute
from models.db.sqlite import Sqlite
from models.limits import REFUSAL
from models.users import PERMANENTLY, Balances
from services.bets.terms import (
    FreeCaseNotAvailable,
    PlayTimeReached,
    SeedUsed,
    SpinInProgress,
    TermsExpired,
    TooSoon,
)
from services.limits import exclusions
from services.limits.limits import LimitReached
from services.shared.clock import CalendarPeriod, Millis
from services.shared.errors import AccountSuspended, InsufficientBalance, Unauthorized

Clock = Callable[[], Millis]

REFUSALS: dict[str, type[Exception]] = {
    "late": TermsExpired,
    "ended": Unauthorized,
    "suspended": AccountSuspended,
    "play session": PlayTimeReached,
    "cycle": TooSoon,
}
"""Errors by the reasons of ``models/limits.py``, without those of breaks and limits."""

_group_commit = GroupCommit()


class Written(NamedTuple):
    """The ids that a bet and its prize were given, and the player's new balances."""

    bet_id: int
    balances: Balances
    prize_id: int | None


def write(bet: Settlement, *, clock: Clock, proof_delay_ms: int) -> Written:
    """Write the bet, and set its times in it; the clock is read when the waits for the database are over.

    Raises the refusals in the order above, and peewee.IntegrityError if the request id has a bet already or
    another snapshot has the id of this one.
    """
    if isinstance(database.obj, Sqlite):
        return _group_commit.run(partial(_in_steps, bet, clock, proof_delay_ms))
    return _in_one_statement(bet, clock, proof_delay_ms)


def _in_one_statement(bet: Settlement, clock: Clock, proof_delay_ms: int) -> Written:
    """Write the bet on PostgreSQL.

    When a player bets in two processes at once, the second bet raises SpinInProgress while the first is being
    settled, and SeedUsed afterwards.
    """
    with database.obj.connection_for_bet() as connection:
        if not connection.has_prepared:
            database.execute_sql(sql.PREPARE)
            connection.has_prepared = True
        set_times(bet, clock(), proof_delay_ms)
        values = vars(bet)
        # The text of a snapshot is long, and only the first opening of a content needs it.
        row = _execute_prepared(values | {"snapshot_text": None})
        is_locked, has_snapshot, *_ = row
        if is_locked and not has_snapshot:
            row = _execute_prepared(values)
        is_locked, _, has_seed, bet_id, prize_id, *balances = row
        if bet_id is not None:
            return Written(bet_id, Balances(*balances), prize_id)
        if not is_locked:
            raise SpinInProgress
        if not has_seed:
            raise SeedUsed
        raise _refusal(values)


def _execute_prepared(values: Mapping[str, Any]) -> Any:
    # As a list, because the driver takes 20 us more for a dict.
    return database.execute_sql(sql.EXECUTE, [values[name] for name in sql.PARAMETERS]).fetchone()


def _in_steps(bet: Settlement, clock: Clock, proof_delay_ms: int) -> Written:
    """Write the bet on SQLite, as part of the transaction that is open."""
    set_times(bet, clock(), proof_delay_ms)
    values = dict(vars(bet))
    if not execute(sql.USE_SEED, values).rowcount:
        raise SeedUsed
    balances = execute(sql.CHANGE_PLAYER, values).fetchone()
    if balances is None:
        raise _refusal(values)
    if bet.snapshot_id is not None:
        execute(sql.STORE_SNAPSHOT.format(**ROWS), values)
    (values["transaction_id"],) = execute(sql.INSERT_TRANSACTION.format(**ROWS), values).fetchone()
    execute(sql.INSERT_ENTRIES.format(**ROWS), values)
    values["bet_id"], *_ = execute(sql.INSERT_BET.format(**ROWS), values).fetchone()
    execute(sql.LET_BET_WAIT.format(**ROWS), values)
    execute(sql.COUNT_LIVE_BET.format(**ROWS), values)
    prize_id = None
    if bet.case_id is not None:
        execute(sql.COUNT_CASE_SPIN.format(**ROWS), values)
        (prize_id,) = execute(sql.INSERT_PRIZE.format(**ROWS), values).fetchone() or (None,)
    return Written(values["bet_id"], Balances(*balances), prize_id)


def set_times(bet: Settlement, now: Millis, proof_delay_ms: int) -> None:
    """Set when the bet is settled, when its proof is due, and when its day, week and month began."""
    bet.created_at_ms = now
    bet.completed_at_ms = now + proof_delay_ms
    bet.day = CalendarPeriod.DAY.start(now)
    bet.week = CalendarPeriod.WEEK.start(now)
    bet.month = CalendarPeriod.MONTH.start(now)


def _refusal(values: Mapping[str, Any]) -> Exception:
    """Why the player's row allowed no bet with these values."""
    if refusal := refusal_of_player(values):
        return refusal
    return FreeCaseNotAvailable() if values["free_case_limit"] is not None else InsufficientBalance()


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
