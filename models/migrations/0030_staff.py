"""Adds the accounts of the back office, and indexes for its searches in the audit trail.

In PostgreSQL's types.
"""

import re

import peewee

TABLES = """
CREATE TABLE IF NOT EXISTS "staff_accounts" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "name" VARCHAR(32) NOT NULL,
    "role" VARCHAR(16) NOT NULL
    CHECK (role IN ('support', 'payments', 'content', 'compliance', 'auditor', 'admin')),
    "password_hash" VARCHAR(255), "encrypted_secret" TEXT, "last_used_step" BIGINT,
    "enrolment_hash" VARCHAR(64), "enrolment_expires_at_ms" BIGINT, "created_at_ms" BIGINT NOT NULL,
    "last_login_at_ms" BIGINT, "disabled_at_ms" BIGINT
);
CREATE UNIQUE INDEX IF NOT EXISTS "staff_accounts_name" ON "staff_accounts" ("name");
CREATE UNIQUE INDEX IF NOT EXISTS "staff_accounts_enrolment_hash" ON "staff_accounts" ("enrolment_hash");
CREATE TABLE IF NOT EXISTS "staff_sessions" (
    "token_hash" VARCHAR(64) NOT NULL PRIMARY KEY, "staff_id" BIGINT NOT NULL,
    "network" VARCHAR(64) NOT NULL, "began_at_ms" BIGINT NOT NULL, "last_seen_at_ms" BIGINT NOT NULL,
    "confirmed_at_ms" BIGINT NOT NULL, "ended_at_ms" BIGINT,
    FOREIGN KEY ("staff_id") REFERENCES "staff_accounts" ("id") ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS "staff_sessions_of_account" ON "staff_sessions" ("staff_id", "began_at_ms");
CREATE TABLE IF NOT EXISTS "staff_login_failures" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "name_digest" VARCHAR(64) NOT NULL,
    "network" VARCHAR(64) NOT NULL, "at_ms" BIGINT NOT NULL
);
CREATE INDEX IF NOT EXISTS "staff_login_failures_of_name"
    ON "staff_login_failures" ("name_digest", "at_ms");
CREATE INDEX IF NOT EXISTS "staff_login_failures_by_time" ON "staff_login_failures" ("at_ms");
CREATE INDEX IF NOT EXISTS "audit_events_by_time" ON "audit_events" ("at_ms", "id");
CREATE INDEX IF NOT EXISTS "audit_events_by_who" ON "audit_events" ("who", "at_ms", "id");
CREATE INDEX IF NOT EXISTS "audit_events_by_player" ON "audit_events" ("player", "at_ms", "id");
CREATE INDEX IF NOT EXISTS "audit_events_by_what" ON "audit_events" ("what", "at_ms", "id");
"""


def up(migrator, db):
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    script = re.sub(r"\b(BIGSERIAL|BIGINT)\b", "INTEGER", TABLES) if is_sqlite else TABLES
    for statement in script.split(";"):
        # As Peewee writes them: SQLite keeps the text.
        words = " ".join(statement.split()).replace("( ", "(").replace(" )", ")")
        if words:
            db.execute_sql(words)
