"""Audits and rebuilds statistics: recomputes every sum and count from the bets."""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any

import peewee
from peewee import fn

from models.bets import HIGH_ROLL, Bet
from models.cases import CASE, IRL, Case, CaseSpins, IrlCase, Snapshot
from models.db.connection import Table, database, writing
from models.db.sqlite import Sqlite
from models.figures import CURRENT, LIFETIME, LIVE_BET_SHARDS, LiveBetCount, wrong_statistics
from models.users import User
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.figures import daily_figures
from services.shared.clock import LONGEST_MS, CalendarPeriod, Millis

# Without the operator %, which psycopg2 takes for a parameter.
SHARD = Bet.user - Bet.user / LIVE_BET_SHARDS * LIVE_BET_SHARDS

CASES: tuple[tuple[str, Any], ...] = ((CASE, Case), (IRL, IrlCase))
"""The table of the cases of each game."""

STARTS = {each: f"{each}_starts_at_ms" for each in CalendarPeriod}


def mismatches() -> Iterator[str]:
    """A line for each wrong total."""
    for player in _of_past_periods():
        yield f"the current periods of {player.platform_id} are not those of the last bet"
    for player_id, columns in wrong_statistics().items():
        if columns.keys() & set(LIFETIME):
            yield f"the statistics of {player_id} differ from the bets"
        if columns.keys() & set(CURRENT):
            yield f"the sums of the current periods of {player_id} differ from the bets"
    yield from _differing(LiveBetCount.select(), _live_bet_counts(), "the live bet counts of shard {0}")
    for game, cases in CASES:
        # A case may be deleted while it is opened. Nothing shows the row of such a case.
        exists = CaseSpins.case_id.in_(cases.select(cases.id))
        stored = CaseSpins.select().where(CaseSpins.game == game, exists)
        yield from _differing(stored, _spins_of(game, cases), "the openings of {0} case {1} in shard {2}")
    yield from daily_figures.mismatches()


def rebuild(*, now: Millis) -> dict[str, int]:
    """Compute every sum and count again. Bets wait for it, and first the appends to the public log.

    Returns how many players had wrong statistics, and how many rows each table has now.
    """
    rows_of_days = daily_figures.rebuild()
    with writing():
        # A bet written meanwhile would be counted twice or not at all. Its transaction changes
        # the player first, so ``users`` is locked first: a transaction that waits for it holds no other lock.
        database.obj.lock_tables(User, Bet)
        database.obj.lift_statement_limit()
        for player in _of_past_periods():
            User.update(_periods_of_newest_bet(player)).where(User.id == player.id).execute()
        wrong = wrong_statistics()
        for player_id, columns in wrong.items():
            User.update(columns).where(User.platform_id == player_id).execute()
        record(
            AuditEventType.STATISTICS_REBUILT, now=now, user_id=None, after={"correctedPlayers": len(wrong)}
        )
        return {
            "corrected_players": len(wrong),
            "live_bet_counts": _replace_rows(LiveBetCount, _live_bet_counts()),
            "case_spins": _replace_rows(CaseSpins, *(_spins_of(game, cases) for game, cases in CASES)),
            "daily_figures": rows_of_days,
        }


def _of_past_periods() -> Any:
    """The players whose newest bet is in later periods than their sums, and its time. Each bet sets them."""
    ids = Bet.select(Bet.user, fn.MAX(Bet.id).alias("bet_id")).group_by(Bet.user).alias("ids")
    is_past = (
        Bet.created_at_ms - getattr(User, column) >= LONGEST_MS[each] for each, column in STARTS.items()
    )
    return (
        User.select(User, Bet.created_at_ms.alias("newest_at_ms"))
        .join(ids, on=(ids.c.user_id == User.id))
        .join(Bet, on=(Bet.id == ids.c.bet_id))
        .where(reduce(or_, is_past))
        .objects()
    )


def _periods_of_newest_bet(player: Any) -> dict[str, int]:
    return {
        column: max(getattr(player, column), each.start(player.newest_at_ms))
        for each, column in STARTS.items()
    }


def _differing(stored: Any, expected: Any, what: str) -> list[str]:
    """A line for each row that is wrong, missing, or should not exist. ``what`` names it by its columns."""
    rows = set(stored.tuples().iterator()) ^ set(expected.tuples().iterator())
    return sorted({f"{what.format(*row)} differ from the bets" for row in rows})


def _replace_rows(table: type[Table], *expected: Any) -> int:
    """Replace all rows of the table by those of these queries; returns their number."""
    table.delete().execute()
    for rows in expected:
        table.insert_from(rows, table._meta.sorted_fields).execute()  # noqa: SLF001  # peewee's own way
    return int(table.select().count())


def _live_bet_counts() -> Any:
    """The rows that LiveBetCount must have."""
    is_public = User.suspended_at_ms.is_null()
    bets = fn.COUNT(peewee.Case(None, [(is_public, 1)]))
    high_rolls = fn.COUNT(peewee.Case(None, [(is_public & HIGH_ROLL, 1)]))
    return Bet.select(SHARD, bets, high_rolls).join(User).group_by(SHARD)


def _spins_of(game: str, cases: Any) -> Any:
    """The rows that CaseSpins must have for the cases of a game. A bet's snapshot has the id of its case."""
    opened = (
        Bet.select(Bet.snapshot, SHARD.alias("shard"), fn.COUNT(Bet.id).alias("bets"))
        .where(Bet.game == game)
        .group_by(Bet.snapshot, SHARD)
        .alias("opened")
    )
    return (
        cases.select(peewee.Value(game), cases.id, opened.c.shard, fn.SUM(opened.c.bets))
        .join(Snapshot, on=(cases.slug == _case_id_in_content()))
        .join(opened, on=(opened.c.snapshot_id == Snapshot.id))
        .group_by(cases.id, opened.c.shard)
    )


def _case_id_in_content() -> Any:
    if isinstance(database.obj, Sqlite):
        return fn.JSON_EXTRACT(Snapshot.content, "$.id")
    return fn.JSON_EXTRACT_PATH_TEXT(Snapshot.content.cast("json"), "id")
