"""Adds the public log of bets, which takes the place of the marks of the seeds. In PostgreSQL's types."""

import re
import secrets

import peewee

TABLES = """
CREATE TABLE IF NOT EXISTS "logs" (
    "name" VARCHAR(16) NOT NULL PRIMARY KEY, "origin" VARCHAR(255) NOT NULL, "size" BIGINT NOT NULL,
    "checkpoint" TEXT NOT NULL, "epoch" BIGINT NOT NULL, "confirmations" BIGINT NOT NULL,
    "announced_key" VARCHAR(400) NOT NULL, "player_key" VARCHAR(64), "first_entry" TEXT,
    "last_mark" VARCHAR(64)
);
CREATE TABLE IF NOT EXISTS "log_tiles" (
    "log_id" VARCHAR(16) NOT NULL, "level" SMALLNUM NOT NULL, "number" BIGINT NOT NULL,
    "hashes" BYTEA NOT NULL, PRIMARY KEY ("log_id", "level", "number"),
    FOREIGN KEY ("log_id") REFERENCES "logs" ("name") ON DELETE RESTRICT
);
CREATE TABLE IF NOT EXISTS "log_bundles" (
    "log_id" VARCHAR(16) NOT NULL, "number" BIGINT NOT NULL, "entry_references" BYTEA NOT NULL,
    "highest_id" BIGINT NOT NULL, "lowest_id" BIGINT, PRIMARY KEY ("log_id", "number"),
    FOREIGN KEY ("log_id") REFERENCES "logs" ("name") ON DELETE RESTRICT
);
CREATE INDEX IF NOT EXISTS "log_bundles_by_id" ON "log_bundles" ("log_id", "highest_id", "number");
CREATE TABLE IF NOT EXISTS "log_entries" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "log_id" VARCHAR(16) NOT NULL, "text" TEXT NOT NULL,
    FOREIGN KEY ("log_id") REFERENCES "logs" ("name") ON DELETE RESTRICT
);
CREATE TABLE IF NOT EXISTS "log_waiting_bets" ("bet_id" BIGINT NOT NULL PRIMARY KEY);
CREATE TABLE IF NOT EXISTS "log_waiting_entries" (
    "entry_id" BIGINT NOT NULL PRIMARY KEY,
    FOREIGN KEY ("entry_id") REFERENCES "log_entries" ("id") ON DELETE RESTRICT
);
CREATE TABLE IF NOT EXISTS "log_checkpoints" (
    "log_id" VARCHAR(16) NOT NULL, "size" BIGINT NOT NULL CHECK (size >= 0), "root" VARCHAR(64) NOT NULL,
    "signed_at_ms" BIGINT NOT NULL, PRIMARY KEY ("log_id", "size"),
    FOREIGN KEY ("log_id") REFERENCES "logs" ("name") ON DELETE RESTRICT
);
CREATE INDEX IF NOT EXISTS "log_checkpoints_signed_at_ms" ON "log_checkpoints" ("signed_at_ms");
"""
TYPES_OF_SQLITE = {
    "BIGSERIAL": "INTEGER",
    "BIGINT": "INTEGER",
    "BYTEA": "BLOB",
    "SMALLINT": "INTEGER",
    "SMALLNUM": "INTEGER",
}
TYPES_OF_POSTGRESQL = {"SMALLNUM": "INTEGER"}
COLUMNS = {
    "bets": {"next_commitment_bytes": "BYTEA"},
    "announced_seeds": {"log_state": "SMALLINT NOT NULL DEFAULT 0"},
}
# Of a tree without entries: the SHA-256 of nothing.
EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
LAST_MARK = "SELECT number, token, epoch FROM seed_marks ORDER BY number DESC LIMIT 1"


def up(migrator, db):
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    types = TYPES_OF_SQLITE if is_sqlite else TYPES_OF_POSTGRESQL
    for statement in _with_types(TABLES, types).split(";"):
        # As Peewee writes them: SQLite keeps the text.
        words = " ".join(statement.split()).replace("( ", "(").replace(" )", ")")
        if words:
            db.execute_sql(words)
    for table, columns in COLUMNS.items():
        present = {column.name for column in db.get_columns(table)}
        for name, kind in columns.items():
            if name not in present:
                db.execute_sql(f'ALTER TABLE "{table}" ADD COLUMN "{name}" {_with_types(kind, types)}')
    if "seed_marks" in db.get_tables():
        _replace_marks(db)


def _with_types(text, types):
    return re.sub(
        r"\b(BIGSERIAL|BIGINT|BYTEA|SMALLINT|SMALLNUM)\b", lambda found: types.get(found[0], found[0]), text
    )


def _replace_marks(db):
    """Keep the last mark for the first start of a server, which finds the file that must agree with it."""
    (number, token, epoch) = db.execute_sql(LAST_MARK).fetchone()
    # No server has used a database with the first mark only.
    mark = "NULL" if number == 1 else f"'{number} {token}'"
    db.execute_sql(
        "INSERT INTO logs (name, origin, size, checkpoint, epoch, confirmations, announced_key, player_key,"  # noqa: S608  # constants
        f" last_mark) VALUES ('bets', '', 0, '', {epoch}, 0, '', '{secrets.token_hex(32)}', {mark})"
    )
    db.execute_sql(
        "INSERT INTO log_checkpoints (log_id, size, root, signed_at_ms)"  # noqa: S608  # constants
        f" VALUES ('bets', 0, '{EMPTY_ROOT}', 0)"
    )
    db.execute_sql("DROP TABLE seed_marks")
