"""The changes of the schema since version 0.2.0.

New tables and columns are made from the models. Nothing else may use the database meanwhile.
"""

import re
import time
from datetime import UTC, datetime

import peewee

from models.audit_triggers import create_triggers
from models.bets import OPENINGS, UPGRADER_1, Bet
from models.cases import Case
from models.leases import Lease
from models.new_database import LEASES, all_tables
from models.users import User

DAY_MS = 24 * 3600 * 1000
FIRST_MONDAY_MS = 4 * DAY_MS

BETS_OF_POSTGRESQL = f"""
    ALTER TABLE bets
        ADD COLUMN algorithm VARCHAR(16) NOT NULL DEFAULT 'upgrader-1',
        ADD COLUMN snapshot_id BIGINT,
        ADD COLUMN ticket BIGINT,
        ADD COLUMN proof_held_by INTEGER,
        ALTER COLUMN price_cents DROP NOT NULL,
        ALTER COLUMN house_edge_ppm DROP NOT NULL,
        ALTER COLUMN threshold DROP NOT NULL,
        ALTER COLUMN roll DROP NOT NULL,
        DROP CONSTRAINT bets_wager_cents_check,
        DROP CONSTRAINT bets_check,
        DROP CONSTRAINT bets_check1,
        DROP CONSTRAINT bets_check2;
    ALTER TABLE bets RENAME CONSTRAINT bets_check3 TO bets_one_seed;
    ALTER TABLE bets RENAME CONSTRAINT bets_check4 TO bets_completion;
    ALTER TABLE bets
        ALTER COLUMN algorithm DROP DEFAULT,
        ADD CONSTRAINT bets_wager_cents_check CHECK (wager_cents >= 0),
        ADD CONSTRAINT bets_algorithm_check CHECK (algorithm IN ('upgrader-1', 'case-1', 'irl-1')),
        ADD CONSTRAINT bets_ticket_check CHECK (ticket BETWEEN 0 AND 999999999999999999),
        ADD CONSTRAINT bets_upgrader_1 CHECK ({UPGRADER_1}),
        ADD CONSTRAINT bets_openings CHECK ({OPENINGS}),
        ADD CONSTRAINT bets_snapshot_id_fkey
            FOREIGN KEY (snapshot_id) REFERENCES snapshots (id) ON DELETE RESTRICT;
    DROP INDEX bets_high_rolls, bets_of_player_most_earned, bets_of_player_least_earned,
        bets_user_id_request_id
"""

PAYMENT_INDEXES = ("by_type", "highest", "lowest", "by_type_highest", "by_type_lowest")


def up(migrator, db):
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    if is_sqlite:
        _rebuild_bets(db)
    stored = set(db.get_tables())
    db.create_tables([table for table in all_tables() if table._meta.table_name not in stored], safe=False)
    create_triggers()
    Lease.insert_many(LEASES).execute()
    if not is_sqlite:
        db.execute_sql(BETS_OF_POSTGRESQL)
        Bet._schema.create_indexes()
    for table in (User, Case):
        _add_columns(db, table)
    User._schema.create_indexes()
    _set_required_levels(db)
    _sum_up(db, now_ms=time.time_ns() // 1_000_000)
    # The current deadlines of vaults: their notifications would be shown twice.
    db.execute_sql(
        "DELETE FROM notifications WHERE title = 'Vault unlockable' AND EXISTS ("
        "SELECT 1 FROM users"
        " WHERE users.id = notifications.user_id AND users.vault_deadline_ms = notifications.created_at_ms)"
    )
    # A refresh that was interrupted by the upgrade is due again.
    db.execute_sql("UPDATE price_sources SET next_at_ms = 0 WHERE running_until_ms <> 0")
    for table, column in (("price_sources", "running_until_ms"), ("cases", "spins"), ("irl_cases", "spins")):
        db.execute_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
    for table in ("case_counts", "payment_totals", "period_wagers", "vault_notices"):
        db.execute_sql(f"DROP TABLE {table}")
    db.execute_sql("DROP INDEX announced_seeds_server_seed_commitment")
    for name in PAYMENT_INDEXES:
        db.execute_sql(f"DROP INDEX payments_of_player_{name}")


def _rebuild_bets(db):
    """SQLite can neither drop a check nor make a column nullable."""
    names = ", ".join(f'"{column.name}"' for column in db.get_columns("bets"))
    db.execute_sql('ALTER TABLE "bets" RENAME TO "old_bets"')
    Bet._schema.create_table(safe=False)
    db.execute_sql(
        f"INSERT INTO bets ({names}, algorithm)"  # noqa: S608  # names of columns
        f" SELECT {names}, 'upgrader-1' FROM old_bets ORDER BY id"
    )
    db.execute_sql('DROP TABLE "old_bets"')
    Bet._schema.create_indexes()


def _add_columns(db, table):
    """Add the columns that the table lacks. Their constant defaults take no time on a large table."""
    name = table._meta.table_name
    stored = {column.name for column in db.get_columns(name)}
    for field in table._meta.sorted_fields:
        if field.column_name not in stored:
            context = db.get_sql_context()
            column, _ = context.sql(field.ddl(context)).query()
            db.execute_sql(f"ALTER TABLE {name} ADD COLUMN {column}")


def _set_required_levels(db):
    """The number after ``level-`` in the id; 1 for an id without a number."""
    cases = db.execute_sql("SELECT id, slug FROM cases WHERE kind = 'level'").fetchall()
    for case_id, slug in cases:
        number = re.match(r"level-(\d{1,9})(?!\d)", slug, re.ASCII)
        level = int(number[1]) if number else 1
        db.execute_sql(f"UPDATE cases SET required_level = {level} WHERE id = {case_id}")  # noqa: S608


def _sum_up(db, *, now_ms):
    """Sum the bets of the current day, week and month, so that a limit counts those before the upgrade."""
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
