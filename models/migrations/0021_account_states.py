"""Sessions, suspensions, breaks and limits of players, and the sums of play that limits are compared with.

The sums of the current day, week and month are computed from the bets, so that a limit counts the bets from
before the upgrade. Adding the columns takes no time on a large table.
"""

import time
from datetime import UTC, datetime

import peewee

DAY_MS = 24 * 3600 * 1000
FIRST_MONDAY_MS = 4 * DAY_MS

PERIODS = ("day", "week", "month")

NUMBERS = [
    "session_number",
    "last_bet_at_ms",
    "play_began_at_ms",
    "play_wagered_cents",
    "play_paid_cents",
    *(f"{period}_{name}" for period in PERIODS for name in ("starts_at_ms", "wagered_cents", "paid_cents")),
]
LIMITS = [f"{period}_{kind}_limit_cents" for period in PERIODS for kind in ("wager", "loss")]
COLUMNS = [NUMBERS[0], "suspended_at_ms", "excluded_until_ms", *NUMBERS[1:], *LIMITS]


def up(migrator, db):
    kind = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    for column in COLUMNS:
        default = " NOT NULL DEFAULT 0" if column in NUMBERS else ""
        db.execute_sql(f'ALTER TABLE "users" ADD COLUMN "{column}" {kind}{default}')
    _sum_up(db, now_ms=time.time_ns() // 1_000_000)


def _sum_up(db, *, now_ms):
    first = datetime.fromtimestamp(now_ms // 1000, UTC).replace(day=1, hour=0, minute=0, second=0)
    starts = {
        "day": now_ms - now_ms % DAY_MS,
        "week": now_ms - (now_ms - FIRST_MONDAY_MS) % (7 * DAY_MS),
        "month": int(first.timestamp()) * 1000,
    }
    earliest = min(starts.values())
    sums, changes = [], []
    for period, start in starts.items():
        changes.append(f"{period}_starts_at_ms = {start}")
        for total, cents in (("wagered", "wager"), ("paid", "payout")):
            amount = f"CASE WHEN created_at_ms >= {start} THEN {cents}_cents ELSE 0 END"
            sums.append(f"SUM({amount}) AS {period}_{total}")
            changes.append(f"{period}_{total}_cents = sums.{period}_{total}")
    # A bet is completed when it is created, or later. There is an index by completion.
    db.execute_sql(
        f"UPDATE users SET {', '.join(changes)} FROM ("  # noqa: S608  # numbers and names of columns
        f"SELECT user_id, {', '.join(sums)} FROM bets"
        f" WHERE completed_at_ms >= {earliest} AND created_at_ms >= {earliest} GROUP BY user_id"
        ") AS sums WHERE users.id = sums.user_id"
    )
