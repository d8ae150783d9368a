"""The changes of the schema since version 0.2.0.

Nothing else may use the database meanwhile. New tables are written in PostgreSQL's types; on SQLite every
whole number is an INTEGER.
"""

import re
import time
from datetime import UTC, datetime

import peewee

DAY_MS = 24 * 3600 * 1000
FIRST_MONDAY_MS = 4 * DAY_MS

UPGRADER_1 = """
    algorithm <> 'upgrader-1' OR (
        price_cents IS NOT NULL AND house_edge_ppm IS NOT NULL AND threshold IS NOT NULL AND roll IS NOT NULL
        AND snapshot_id IS NULL AND ticket IS NULL AND wager_cents > 0 AND price_cents > wager_cents
        AND (status = 'won') = (roll < threshold) AND (status = 'won') = (payout_cents > 0)
    )
"""
OPENINGS = """
    algorithm NOT IN ('case-1', 'irl-1') OR (
        snapshot_id IS NOT NULL AND ticket IS NOT NULL
        AND price_cents IS NULL AND house_edge_ppm IS NULL AND threshold IS NULL AND roll IS NULL
        AND (status = 'won') = (payout_cents > wager_cents)
    )
"""
BETS = """
CREATE TABLE "bets" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "user_id" BIGINT NOT NULL, "game" VARCHAR(16) NOT NULL,
    "nonce" BIGINT NOT NULL CHECK (nonce >= 1), "ledger_transaction_id" BIGINT NOT NULL,
    "algorithm" VARCHAR(16) NOT NULL CHECK (algorithm IN ('upgrader-1', 'case-1', 'irl-1')),
    "wager_cents" BIGINT NOT NULL CHECK (wager_cents >= 0),
    "payout_cents" BIGINT NOT NULL CHECK (payout_cents >= 0),
    "status" VARCHAR(8) NOT NULL CHECK (status IN ('won', 'lost')), "item" VARCHAR(200) NOT NULL,
    "price_cents" BIGINT CHECK (price_cents > 0),
    "house_edge_ppm" INTEGER CHECK (house_edge_ppm BETWEEN 0 AND 999999),
    "threshold" INTEGER CHECK (threshold BETWEEN 1 AND 9999999),
    "roll" INTEGER CHECK (roll BETWEEN 0 AND 9999999), "snapshot_id" BIGINT,
    "ticket" BIGINT CHECK (ticket BETWEEN 0 AND 999999999999999999), "client_seed" VARCHAR(64) NOT NULL,
    "server_seed_commitment" VARCHAR(64) NOT NULL, "sealed_server_seed" TEXT, "server_seed" VARCHAR(64),
    "request_id" VARCHAR(64), "request_digest" VARCHAR(64), "created_at_ms" BIGINT NOT NULL,
    "completed_at_ms" BIGINT NOT NULL, "proof_delivered_at_ms" BIGINT, "proof_held_by" INTEGER,
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE RESTRICT,
    FOREIGN KEY ("ledger_transaction_id") REFERENCES "ledger_transactions" ("id") ON DELETE RESTRICT,
    FOREIGN KEY ("snapshot_id") REFERENCES "snapshots" ("id") ON DELETE RESTRICT,
    CONSTRAINT "bets_upgrader_1" CHECK ({UPGRADER_1}), CONSTRAINT "bets_openings" CHECK ({OPENINGS}),
    CONSTRAINT "bets_one_seed" CHECK ((server_seed IS NULL) <> (sealed_server_seed IS NULL)),
    CONSTRAINT "bets_completion" CHECK (completed_at_ms >= created_at_ms)
);
"""
BET_INDEXES = """
CREATE UNIQUE INDEX IF NOT EXISTS "bets_ledger_transaction_id" ON "bets" ("ledger_transaction_id");
CREATE UNIQUE INDEX IF NOT EXISTS "bets_server_seed_commitment" ON "bets" ("server_seed_commitment");
CREATE UNIQUE INDEX IF NOT EXISTS "bets_user_id_nonce" ON "bets" ("user_id", "nonce");
CREATE UNIQUE INDEX IF NOT EXISTS "bets_by_request_id" ON "bets" ("user_id", "request_id")
    WHERE request_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS "bets_by_completion" ON "bets" ("completed_at_ms", "id");
CREATE INDEX IF NOT EXISTS "bets_without_delivered_proof" ON "bets" ("user_id", "nonce")
    WHERE proof_delivered_at_ms IS NULL;
CREATE INDEX IF NOT EXISTS "bets_unrevealed" ON "bets" ("completed_at_ms") WHERE server_seed IS NULL;
CREATE INDEX IF NOT EXISTS "bets_high_rolls" ON "bets" ("completed_at_ms", "id")
    WHERE (wager_cents >= 5000 OR (wager_cents > 0 AND payout_cents >= 10 * wager_cents));
CREATE INDEX IF NOT EXISTS "bets_of_player_least_earned" ON "bets"
    ("user_id", "payout_cents", "nonce" DESC, "game");
"""
TABLES = """
CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "at_ms" BIGINT NOT NULL, "who" VARCHAR(128) NOT NULL,
    "what" VARCHAR(64) NOT NULL, "player" VARCHAR(80), "address" VARCHAR(64), "before" TEXT, "after" TEXT,
    "key_id" VARCHAR(16) NOT NULL, "mac" VARCHAR(64) NOT NULL
);
CREATE TABLE "audit_keys" (
    "key_id" VARCHAR(16) NOT NULL PRIMARY KEY, "sealed_key" TEXT NOT NULL
);
CREATE TABLE "audit_seals" (
    "number" BIGINT NOT NULL PRIMARY KEY, "event_id" BIGINT NOT NULL, "previous_event_id" BIGINT,
    "previous_seal" VARCHAR(64) NOT NULL, "key_id" VARCHAR(16) NOT NULL, "seal" VARCHAR(64) NOT NULL
);
CREATE UNIQUE INDEX "audit_seals_event_id" ON "audit_seals" ("event_id");
CREATE TABLE "snapshots" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "hash" VARCHAR(64) NOT NULL CHECK (length(hash) = 64),
    "content" TEXT NOT NULL
);
CREATE TABLE "case_spins" (
    "game" VARCHAR(16) NOT NULL CHECK (game IN ('case', 'irl')), "case_id" BIGINT NOT NULL,
    "shard" INTEGER NOT NULL CHECK (shard BETWEEN 0 AND 63), "spins" BIGINT NOT NULL CHECK (spins >= 1),
    PRIMARY KEY ("game", "case_id", "shard")
);
CREATE TABLE "confirmed_tokens" (
    "user_id" BIGINT NOT NULL, "token_id" VARCHAR(64) NOT NULL, "until_ms" BIGINT NOT NULL,
    PRIMARY KEY ("user_id", "token_id"),
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
);
CREATE TABLE "audit_settings" (
    "name" VARCHAR(64) NOT NULL PRIMARY KEY, "value" TEXT NOT NULL
);
CREATE TABLE "leases" (
    "name" VARCHAR(16) NOT NULL PRIMARY KEY, "epoch" BIGINT NOT NULL, "until_ms" BIGINT NOT NULL
);
CREATE TABLE "limit_requests" (
    "id" VARCHAR(32) NOT NULL PRIMARY KEY, "user_id" BIGINT NOT NULL,
    "kind" VARCHAR(5) NOT NULL CHECK (kind IN ('wager', 'loss')),
    "period" VARCHAR(5) NOT NULL CHECK (period IN ('day', 'week', 'month')),
    "value_cents" BIGINT CHECK (value_cents >= 0), "requested_at_ms" BIGINT NOT NULL,
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE RESTRICT
);
CREATE UNIQUE INDEX "limit_requests_user_id_kind_period" ON "limit_requests" ("user_id", "kind", "period");
CREATE TABLE "login_challenges" (
    "key" VARCHAR(64) NOT NULL PRIMARY KEY, "user_id" BIGINT NOT NULL, "expires_at_ms" BIGINT NOT NULL,
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
);
CREATE INDEX "login_challenges_of_player" ON "login_challenges" ("user_id");
CREATE TABLE "prizes" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "user_id" BIGINT NOT NULL, "bet_id" BIGINT NOT NULL,
    "name" VARCHAR(200) NOT NULL, "image" VARCHAR(1000) NOT NULL,
    "value_cents" BIGINT NOT NULL CHECK (value_cents >= 0),
    "status" VARCHAR(8) NOT NULL CHECK (status IN ('kept', 'sold', 'shipping', 'shipped')),
    "won_at_ms" BIGINT NOT NULL, "sealed_address" TEXT,
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE RESTRICT,
    FOREIGN KEY ("bet_id") REFERENCES "bets" ("id") ON DELETE RESTRICT,
    CONSTRAINT "prizes_address" CHECK ((status IN ('shipping', 'shipped')) = (sealed_address IS NOT NULL))
);
CREATE UNIQUE INDEX "prizes_bet_id" ON "prizes" ("bet_id");
CREATE INDEX "prizes_of_player" ON "prizes" ("user_id", "id");
CREATE INDEX "prizes_to_ship" ON "prizes" ("id") WHERE status = 'shipping';
CREATE TABLE "processes" (
    "id" SERIAL NOT NULL PRIMARY KEY, "address" VARCHAR(300) NOT NULL,
    "pool_size" INTEGER NOT NULL CHECK (pool_size > 0), "sockets" INTEGER NOT NULL CHECK (sockets >= 0),
    "lag_ms" INTEGER NOT NULL CHECK (lag_ms >= 0), "redis" VARCHAR(4) NOT NULL,
    "seen_at_ms" BIGINT NOT NULL, "settings" VARCHAR(16) NOT NULL DEFAULT ''
);
CREATE TABLE "recovery_codes" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "user_id" BIGINT NOT NULL, "sealed_code" TEXT NOT NULL,
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
);
CREATE INDEX "recovery_codes_of_player" ON "recovery_codes" ("user_id");
CREATE TABLE "shared_items" (
    "app_id" INTEGER NOT NULL, "market_hash_name" VARCHAR(200) NOT NULL, "gun_name" VARCHAR(200) NOT NULL,
    "skin_name" VARCHAR(200) NOT NULL, "image" VARCHAR(1000) NOT NULL, "price_cents" BIGINT NOT NULL,
    "next_price_fetch_ms" BIGINT NOT NULL
);
CREATE TABLE "audit_unsealed" (
    "event_id" BIGINT NOT NULL PRIMARY KEY
);
"""
USER_INDEXES = """
CREATE INDEX "users_leaderboard_of_week" ON "users" ("week_starts_at_ms", "week_wagered_cents" DESC, "id");
CREATE INDEX "users_leaderboard_of_month" ON "users" ("month_starts_at_ms", "month_wagered_cents" DESC, "id");
"""
COLUMNS = {
    "users": (
        '"balance_version" BIGINT NOT NULL DEFAULT 0',
        '"session_number" BIGINT NOT NULL DEFAULT 0',
        '"suspended_at_ms" BIGINT',
        '"excluded_until_ms" BIGINT',
        '"last_bet_at_ms" BIGINT NOT NULL DEFAULT 0',
        '"play_began_at_ms" BIGINT NOT NULL DEFAULT 0',
        '"play_wagered_cents" BIGINT NOT NULL DEFAULT 0',
        '"play_paid_cents" BIGINT NOT NULL DEFAULT 0',
        '"day_starts_at_ms" BIGINT NOT NULL DEFAULT 0',
        '"day_wagered_cents" BIGINT NOT NULL DEFAULT 0',
        '"day_paid_cents" BIGINT NOT NULL DEFAULT 0',
        '"week_starts_at_ms" BIGINT NOT NULL DEFAULT 0',
        '"week_wagered_cents" BIGINT NOT NULL DEFAULT 0',
        '"week_paid_cents" BIGINT NOT NULL DEFAULT 0',
        '"month_starts_at_ms" BIGINT NOT NULL DEFAULT 0',
        '"month_wagered_cents" BIGINT NOT NULL DEFAULT 0',
        '"month_paid_cents" BIGINT NOT NULL DEFAULT 0',
        '"day_wager_limit_cents" BIGINT',
        '"day_loss_limit_cents" BIGINT',
        '"week_wager_limit_cents" BIGINT',
        '"week_loss_limit_cents" BIGINT',
        '"month_wager_limit_cents" BIGINT',
        '"month_loss_limit_cents" BIGINT',
    ),
    "cases": (
        """"required_level" INTEGER CONSTRAINT "cases_required_level"
            CHECK (required_level IS NULL OR (required_level >= 0 AND kind = 'level'))""",
        '"withdrawn_at_ms" BIGINT',
    ),
}

APPEND_ONLY = {"audit_events": ("id",), "audit_seals": ("number", "event_id")}
TRIGGER_OF_SQLITE = """
CREATE TRIGGER {table}_refuse_{verb} BEFORE {event} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""
FUNCTION_OF_POSTGRESQL = """
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""
TRIGGER_OF_POSTGRESQL = (
    "CREATE TRIGGER {table}_refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON {table}"
    " FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
)

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
    # Before the tables that refer to it: SQLite would let them refer to the table that it is renamed to.
    if is_sqlite:
        _rebuild_bets(db)
    _run(db, TABLES)
    if not is_sqlite:
        db.execute_sql(BETS_OF_POSTGRESQL)
    _run(db, BET_INDEXES)
    _create_triggers(db)
    db.execute_sql(
        "INSERT INTO leases (name, epoch, until_ms) VALUES ('price refresh', 0, 0), ('catalogue', 0, 0)"
    )
    for table, columns in COLUMNS.items():
        for column in columns:
            _run(db, f'ALTER TABLE "{table}" ADD COLUMN {column}')
    _run(db, USER_INDEXES)
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


def _run(db, script):
    """Run statements in the types of this database, written as Peewee writes them."""
    if isinstance(db, peewee.SqliteDatabase):
        script = re.sub(r"\b(BIGSERIAL|SERIAL|BIGINT)\b", "INTEGER", script)
    for statement in script.split(";"):
        words = " ".join(statement.split()).replace("( ", "(").replace(" )", ")")
        if words:
            db.execute_sql(words.format(UPGRADER_1=UPGRADER_1, OPENINGS=OPENINGS))


def _rebuild_bets(db):
    """SQLite can neither drop a check nor make a column nullable."""
    names = ", ".join(f'"{column.name}"' for column in db.get_columns("bets"))
    db.execute_sql('ALTER TABLE "bets" RENAME TO "old_bets"')
    _run(db, BETS)
    db.execute_sql(
        f"INSERT INTO bets ({names}, algorithm)"  # noqa: S608  # names of columns
        f" SELECT {names}, 'upgrader-1' FROM old_bets ORDER BY id"
    )
    db.execute_sql('DROP TABLE "old_bets"')


def _create_triggers(db):
    if not isinstance(db, peewee.SqliteDatabase):
        db.execute_sql(FUNCTION_OF_POSTGRESQL)
        for table in APPEND_ONLY:
            db.execute_sql(TRIGGER_OF_POSTGRESQL.format(table=table))
        return
    for table, unique in APPEND_ONLY.items():
        same = " OR ".join(f"{column} = NEW.{column}" for column in unique)
        replaces = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608  # names of tables
        for verb, event, condition in (
            ("update", "UPDATE", ""),
            ("delete", "DELETE", ""),
            ("replace", "INSERT", replaces),
        ):
            db.execute_sql(TRIGGER_OF_SQLITE.format(table=table, verb=verb, event=event, condition=condition))


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
