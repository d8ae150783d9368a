"""The tables of the public log, and the log without entries."""

import hashlib
import secrets

TABLES = """
CREATE TABLE "logs" (
    "name" VARCHAR(16) NOT NULL PRIMARY KEY, "origin" VARCHAR(255) NOT NULL, "size" BIGINT NOT NULL,
    "checkpoint" TEXT NOT NULL, "epoch" BIGINT NOT NULL, "confirmations" BIGINT NOT NULL,
    "announced_key" VARCHAR(400) NOT NULL, "player_key" VARCHAR(64), "held_reason" VARCHAR(100),
    "held_at_ms" BIGINT
);
CREATE TABLE "log_tiles" (
    "log_id" VARCHAR(16) NOT NULL, "level" INTEGER NOT NULL, "number" BIGINT NOT NULL,
    "hashes" BYTEA NOT NULL,
    PRIMARY KEY ("log_id", "level", "number"),
    FOREIGN KEY ("log_id") REFERENCES "logs" ("name") ON DELETE RESTRICT
);
CREATE TABLE "log_bundles" (
    "log_id" VARCHAR(16) NOT NULL, "number" BIGINT NOT NULL, "entry_references" BYTEA NOT NULL,
    "highest_id" BIGINT NOT NULL, "lowest_id" BIGINT,
    PRIMARY KEY ("log_id", "number"),
    FOREIGN KEY ("log_id") REFERENCES "logs" ("name") ON DELETE RESTRICT
);
CREATE INDEX "log_bundles_by_id" ON "log_bundles" ("log_id", "highest_id", "number");
CREATE TABLE "log_entries" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "log_id" VARCHAR(16) NOT NULL, "text" TEXT NOT NULL,
    FOREIGN KEY ("log_id") REFERENCES "logs" ("name") ON DELETE RESTRICT
);
CREATE TABLE "log_waiting_bets" ("bet_id" BIGINT NOT NULL PRIMARY KEY);
CREATE TABLE "log_waiting_entries" (
    "entry_id" BIGINT NOT NULL PRIMARY KEY,
    FOREIGN KEY ("entry_id") REFERENCES "log_entries" ("id") ON DELETE RESTRICT
);
CREATE TABLE "log_checkpoints" (
    "log_id" VARCHAR(16) NOT NULL, "size" BIGINT NOT NULL CHECK (size >= 0), "root" VARCHAR(64) NOT NULL,
    "signed_at_ms" BIGINT NOT NULL,
    PRIMARY KEY ("log_id", "size"),
    FOREIGN KEY ("log_id") REFERENCES "logs" ("name") ON DELETE RESTRICT
);
CREATE INDEX "log_checkpoints_signed_at_ms" ON "log_checkpoints" ("signed_at_ms");
"""


def up(migrator, db):
    db.run_script(TABLES)
    db.execute_sql(
        "INSERT INTO logs (name, origin, size, checkpoint, epoch, confirmations, announced_key, player_key)"
        f" VALUES ('bets', '', 0, '', 1, 0, '', '{secrets.token_hex(32)}')"
    )
    db.execute_sql(
        "INSERT INTO log_checkpoints (log_id, size, root, signed_at_ms)"
        f" VALUES ('bets', 0, '{hashlib.sha256().hexdigest()}', 0)"
    )
