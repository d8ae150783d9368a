"""The tables of the public log, and the log without entries."""

import hashlib
import secrets

TABLES = """
CREATE TABLE "log" (
    "id" INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), "origin" VARCHAR(255) NOT NULL, "size" BIGINT NOT NULL,
    "checkpoint" TEXT NOT NULL, "epoch" BIGINT NOT NULL, "confirmations" BIGINT NOT NULL,
    "announced_key" VARCHAR(400) NOT NULL, "player_key" VARCHAR(64) NOT NULL, "held_reason" VARCHAR(100),
    "held_at_ms" BIGINT, "is_paused" BOOLEAN NOT NULL
);
CREATE TABLE "log_tiles" (
    "level" INTEGER NOT NULL, "number" BIGINT NOT NULL, "hashes" BYTEA NOT NULL,
    PRIMARY KEY ("level", "number")
);
CREATE TABLE "log_bundles" (
    "number" BIGINT NOT NULL PRIMARY KEY, "entry_references" BYTEA NOT NULL,
    "highest_id" BIGINT NOT NULL, "lowest_id" BIGINT
);
CREATE INDEX "log_bundles_by_id" ON "log_bundles" ("highest_id", "number");
CREATE TABLE "log_entries" ("id" BIGSERIAL NOT NULL PRIMARY KEY, "text" TEXT NOT NULL);
CREATE TABLE "log_waiting_bets" ("bet_id" BIGINT NOT NULL PRIMARY KEY);
CREATE TABLE "log_waiting_entries" (
    "entry_id" BIGINT NOT NULL PRIMARY KEY,
    FOREIGN KEY ("entry_id") REFERENCES "log_entries" ("id") ON DELETE RESTRICT
);
CREATE TABLE "log_checkpoints" (
    "size" BIGINT NOT NULL PRIMARY KEY CHECK (size >= 0), "root" VARCHAR(64) NOT NULL,
    "signed_at_ms" BIGINT NOT NULL
);
CREATE INDEX "log_checkpoints_signed_at_ms" ON "log_checkpoints" ("signed_at_ms");
"""


def up(migrator, db):
    db.run_script(TABLES)
    db.execute_sql(
        "INSERT INTO log"
        " (id, origin, size, checkpoint, epoch, confirmations, announced_key, player_key, is_paused)"
        f" VALUES (1, '', 0, '', 1, 0, '', '{secrets.token_hex(32)}', FALSE)"
    )
    db.execute_sql(
        "INSERT INTO log_checkpoints (size, root, signed_at_ms)"
        f" VALUES (0, '{hashlib.sha256().hexdigest()}', 0)"
    )
