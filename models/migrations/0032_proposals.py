"""Adds proposals, notes and tags of players, the tracking of parcels, and the indexes of the back office.

The tables are in PostgreSQL's types.

The index of all ledger entries becomes two, one of the players' and one of the house's.
"""

import re

import peewee

TABLES = """
CREATE TABLE IF NOT EXISTS "proposals" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "action" VARCHAR(32) NOT NULL, "arguments" TEXT NOT NULL,
    "description" VARCHAR(500) NOT NULL,
    "user_id" BIGINT, "amount_cents" BIGINT, "reason" VARCHAR(200) NOT NULL,
    "status" VARCHAR(9) NOT NULL CHECK (status IN ('open', 'approved', 'rejected', 'withdrawn',
    'performed')),
    "proposed_by" VARCHAR(64) NOT NULL, "proposed_at_ms" BIGINT NOT NULL, "decided_by" VARCHAR(64),
    "decided_at_ms" BIGINT, "decision_reason" VARCHAR(200) NOT NULL, "form_key" VARCHAR(32),
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE RESTRICT,
    CONSTRAINT "proposals_decided" CHECK ((status = 'open') = (decided_by IS NULL)),
    CONSTRAINT "proposals_decided_at" CHECK ((decided_by IS NULL) = (decided_at_ms IS NULL)),
    CONSTRAINT "proposals_four_eyes" CHECK (status <> 'approved' OR decided_by <> proposed_by)
);
CREATE UNIQUE INDEX IF NOT EXISTS "proposals_form_key" ON "proposals" ("form_key");
CREATE INDEX IF NOT EXISTS "proposals_open" ON "proposals" ("id") WHERE status = 'open';
CREATE INDEX IF NOT EXISTS "proposals_closed" ON "proposals" ("id") WHERE status <> 'open';
CREATE INDEX IF NOT EXISTS "proposals_of_player"
    ON "proposals" ("user_id", "id") WHERE user_id IS NOT NULL;
CREATE TABLE IF NOT EXISTS "player_notes" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "user_id" BIGINT NOT NULL, "text" VARCHAR(2000) NOT NULL,
    "written_by" VARCHAR(64) NOT NULL, "written_at_ms" BIGINT NOT NULL,
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS "player_notes_of_player" ON "player_notes" ("user_id", "id");
CREATE TABLE IF NOT EXISTS "player_tags" (
    "user_id" BIGINT NOT NULL, "tag" VARCHAR(32) NOT NULL, "added_by" VARCHAR(64) NOT NULL,
    "added_at_ms" BIGINT NOT NULL, PRIMARY KEY ("user_id", "tag"),
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE
);
CREATE INDEX IF NOT EXISTS "player_tags_by_tag" ON "player_tags" ("tag", "user_id");
CREATE INDEX IF NOT EXISTS "users_suspended" ON "users" ("id") WHERE suspended_at_ms IS NOT NULL;
CREATE INDEX IF NOT EXISTS "users_excluded" ON "users" ("id") WHERE excluded_until_ms IS NOT NULL;
CREATE INDEX IF NOT EXISTS "audit_events_of_logins"
    ON "audit_events" ("address", "player") WHERE what = 'account.logged-in';
CREATE INDEX IF NOT EXISTS "withdrawals_by_destination" ON "withdrawals" ("destination");
CREATE INDEX IF NOT EXISTS "withdrawals_by_txhash" ON "withdrawals" ("txhash") WHERE txhash IS NOT NULL;
CREATE INDEX IF NOT EXISTS "payments_by_address" ON "payments" ("to") WHERE "to" <> '';
CREATE INDEX IF NOT EXISTS "webhook_deliveries_failed"
    ON "webhook_deliveries" ("id") WHERE error IS NOT NULL;
CREATE INDEX IF NOT EXISTS "ledger_entries_of_player"
    ON "ledger_entries" ("user_id", "id", "account", "amount_cents") WHERE user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS "ledger_entries_of_house"
    ON "ledger_entries" ("account", "amount_cents") WHERE user_id IS NULL;
DROP INDEX IF EXISTS "ledger_entries_by_account"
"""
# Bytes are compared in PostgreSQL too, so that the index finds the beginnings of names.
COLLATION = 'ALTER TABLE "users" ALTER COLUMN "username_folded" TYPE VARCHAR(32) COLLATE "C"'


def up(migrator, db):
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    script = re.sub(r"\b(BIGSERIAL|BIGINT)\b", "INTEGER", TABLES) if is_sqlite else TABLES
    for statement in script.split(";"):
        # As Peewee writes them: SQLite keeps the text.
        db.execute_sql(" ".join(statement.split()).replace("( ", "(").replace(" )", ")"))
    if "tracking" not in {column.name for column in db.get_columns("prizes")}:
        db.execute_sql('ALTER TABLE "prizes" ADD COLUMN "tracking" VARCHAR(200)')
    if not is_sqlite:
        db.execute_sql(COLLATION)
