"""Adds deposits, withdrawals, webhooks and findings. In PostgreSQL's types."""

import re

import peewee

TABLES = """
CREATE TABLE IF NOT EXISTS "deposits" (
    "id" VARCHAR(32) NOT NULL PRIMARY KEY, "user_id" BIGINT NOT NULL, "method" VARCHAR(16) NOT NULL,
    "status" VARCHAR(10) NOT NULL CHECK (status IN ('created', 'pending', 'confirming', 'credited',
    'expired', 'failed', 'review')),
    "amount_cents" BIGINT NOT NULL CHECK (amount_cents > 0),
    "credited_cents" BIGINT CHECK (credited_cents > 0), "secret" VARCHAR(48) NOT NULL,
    "invoice_id" VARCHAR(128), "checkout_url" VARCHAR(1000), "expires_at_ms" BIGINT,
    "monitored_until_ms" BIGINT, "reason" VARCHAR(200) NOT NULL, "is_decided_by_staff" BOOLEAN NOT NULL,
    "payment_id" BIGINT, "idempotency_key" VARCHAR(64), "created_at_ms" BIGINT NOT NULL,
    "changed_at_ms" BIGINT NOT NULL, "poll_at_ms" BIGINT, "poll_wait_ms" BIGINT NOT NULL,
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE RESTRICT,
    FOREIGN KEY ("payment_id") REFERENCES "payments" ("id") ON DELETE RESTRICT,
    CONSTRAINT "deposits_payment" CHECK ((status = 'credited') = (payment_id IS NOT NULL)),
    CONSTRAINT "deposits_credited" CHECK ((status = 'credited') = (credited_cents IS NOT NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS "deposits_payment_id" ON "deposits" ("payment_id");
CREATE UNIQUE INDEX IF NOT EXISTS "deposits_user_id_idempotency_key"
    ON "deposits" ("user_id", "idempotency_key");
CREATE UNIQUE INDEX IF NOT EXISTS "deposits_method_invoice_id" ON "deposits" ("method", "invoice_id");
CREATE INDEX IF NOT EXISTS "deposits_of_player" ON "deposits" ("user_id", "created_at_ms", "id");
CREATE INDEX IF NOT EXISTS "deposits_to_poll" ON "deposits" ("poll_at_ms") WHERE poll_at_ms IS NOT NULL;
CREATE INDEX IF NOT EXISTS "deposits_changed" ON "deposits" ("changed_at_ms");
CREATE INDEX IF NOT EXISTS "deposits_by_status" ON "deposits" ("status", "changed_at_ms");
CREATE TABLE IF NOT EXISTS "withdrawals" (
    "id" VARCHAR(32) NOT NULL PRIMARY KEY, "user_id" BIGINT NOT NULL, "provider" VARCHAR(16) NOT NULL,
    "method" VARCHAR(64) NOT NULL,
    "status" VARCHAR(9) NOT NULL CHECK (status IN ('requested', 'approved', 'sending', 'sent', 'completed',
    'rejected', 'failed')),
    "amount_cents" BIGINT NOT NULL CHECK (amount_cents > 0), "destination" VARCHAR(256) NOT NULL,
    "txhash" VARCHAR(128), "payout_id" VARCHAR(128), "payouts_asked" INTEGER NOT NULL,
    "is_auto_approved" BOOLEAN NOT NULL, "check_decision" VARCHAR(7), "check_reason" VARCHAR(200) NOT NULL,
    "reason" VARCHAR(200) NOT NULL, "hold_id" BIGINT NOT NULL, "release_id" BIGINT, "payment_id" BIGINT,
    "idempotency_key" VARCHAR(64), "created_at_ms" BIGINT NOT NULL, "changed_at_ms" BIGINT NOT NULL,
    "sending_since_ms" BIGINT, "poll_at_ms" BIGINT, "poll_wait_ms" BIGINT NOT NULL,
    FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE RESTRICT,
    FOREIGN KEY ("hold_id") REFERENCES "ledger_transactions" ("id") ON DELETE RESTRICT,
    FOREIGN KEY ("release_id") REFERENCES "ledger_transactions" ("id") ON DELETE RESTRICT,
    FOREIGN KEY ("payment_id") REFERENCES "payments" ("id") ON DELETE RESTRICT,
    CONSTRAINT "withdrawals_payment" CHECK ((status = 'completed') = (payment_id IS NOT NULL)),
    CONSTRAINT "withdrawals_release" CHECK ((status IN ('rejected', 'failed')) = (release_id IS NOT NULL))
);
CREATE UNIQUE INDEX IF NOT EXISTS "withdrawals_hold_id" ON "withdrawals" ("hold_id");
CREATE UNIQUE INDEX IF NOT EXISTS "withdrawals_release_id" ON "withdrawals" ("release_id");
CREATE UNIQUE INDEX IF NOT EXISTS "withdrawals_payment_id" ON "withdrawals" ("payment_id");
CREATE UNIQUE INDEX IF NOT EXISTS "withdrawals_user_id_idempotency_key"
    ON "withdrawals" ("user_id", "idempotency_key");
CREATE UNIQUE INDEX IF NOT EXISTS "withdrawals_provider_payout_id"
    ON "withdrawals" ("provider", "payout_id");
CREATE INDEX IF NOT EXISTS "withdrawals_of_player" ON "withdrawals" ("user_id", "created_at_ms", "id");
CREATE INDEX IF NOT EXISTS "withdrawals_to_poll"
    ON "withdrawals" ("poll_at_ms") WHERE poll_at_ms IS NOT NULL;
CREATE INDEX IF NOT EXISTS "withdrawals_changed" ON "withdrawals" ("changed_at_ms");
CREATE INDEX IF NOT EXISTS "withdrawals_by_status" ON "withdrawals" ("status", "changed_at_ms");
CREATE TABLE IF NOT EXISTS "webhook_deliveries" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "provider" VARCHAR(16) NOT NULL,
    "delivery_id" VARCHAR(128) NOT NULL, "body" TEXT NOT NULL, "received_at_ms" BIGINT NOT NULL,
    "processed_at_ms" BIGINT, "error" VARCHAR(200)
);
CREATE UNIQUE INDEX IF NOT EXISTS "webhook_deliveries_provider_delivery_id"
    ON "webhook_deliveries" ("provider", "delivery_id");
CREATE INDEX IF NOT EXISTS "webhook_deliveries_waiting"
    ON "webhook_deliveries" ("id") WHERE processed_at_ms IS NULL;
CREATE INDEX IF NOT EXISTS "webhook_deliveries_received" ON "webhook_deliveries" ("received_at_ms");
CREATE TABLE IF NOT EXISTS "payment_findings" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "kind" VARCHAR(32) NOT NULL, "subject" VARCHAR(128) NOT NULL,
    "ours" VARCHAR(200) NOT NULL, "theirs" VARCHAR(200) NOT NULL, "found_at_ms" BIGINT NOT NULL,
    "solved_at_ms" BIGINT, "is_dismissed" BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS "payment_findings_kind_subject"
    ON "payment_findings" ("kind", "subject");
CREATE INDEX IF NOT EXISTS "payment_findings_open"
    ON "payment_findings" ("kind") WHERE solved_at_ms IS NULL;
"""
LEASES = ("payout sending", "reconciliation")


def up(migrator, db):
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    script = re.sub(r"\b(BIGSERIAL|BIGINT|BOOLEAN)\b", "INTEGER", TABLES) if is_sqlite else TABLES
    for statement in script.split(";"):
        # As Peewee writes them: SQLite keeps the text.
        words = " ".join(statement.split()).replace("( ", "(").replace(" )", ")")
        if words:
            db.execute_sql(words)
    for name in LEASES:
        db.execute_sql(
            "INSERT INTO leases (name, epoch, until_ms)"  # noqa: S608  # constant names
            f" VALUES ('{name}', 0, 0) ON CONFLICT (name) DO NOTHING"
        )
