"""The tables of payments."""

TABLES = """
CREATE TABLE payments (
    id BIGSERIAL NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    type VARCHAR(8) NOT NULL CHECK (type IN ('deposit', 'withdraw')), chain VARCHAR(64) NOT NULL,
    asset VARCHAR(64) NOT NULL, amount VARCHAR(80) NOT NULL, usd_cents BIGINT NOT NULL CHECK (usd_cents > 0),
    txhash VARCHAR(128) NOT NULL, transfer_key VARCHAR(128), "to" VARCHAR(128) NOT NULL,
    ledger_transaction_id BIGINT NOT NULL REFERENCES ledger_transactions (id) ON DELETE RESTRICT,
    created_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX payments_transfer_key ON payments (transfer_key);
CREATE UNIQUE INDEX payments_ledger_transaction_id ON payments (ledger_transaction_id);
CREATE INDEX payments_of_player ON payments (user_id, created_at_ms, id);
CREATE INDEX payments_by_transaction ON payments (substr(transfer_key, 1, 64));
CREATE INDEX payments_by_address ON payments ("to") WHERE "to" <> '';
CREATE INDEX payments_by_time ON payments (created_at_ms);
CREATE TABLE deposits (
    id VARCHAR(32) NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    method VARCHAR(16) NOT NULL,
    status VARCHAR(10) NOT NULL
        CHECK (status IN ('created', 'pending', 'confirming', 'credited', 'expired', 'failed', 'review')),
    amount_cents BIGINT NOT NULL CHECK (amount_cents > 0), credited_cents BIGINT CHECK (credited_cents > 0),
    secret VARCHAR(48) NOT NULL, invoice_id VARCHAR(128), checkout_url VARCHAR(1000), expires_at_ms BIGINT,
    monitored_until_ms BIGINT, reason VARCHAR(200) NOT NULL, is_decided_by_staff BOOLEAN NOT NULL,
    payment_id BIGINT REFERENCES payments (id) ON DELETE RESTRICT, idempotency_key VARCHAR(64),
    created_at_ms BIGINT NOT NULL, changed_at_ms BIGINT NOT NULL, poll_at_ms BIGINT,
    poll_wait_ms BIGINT NOT NULL, paid_cents BIGINT, decided_paid_cents BIGINT,
    takes_bonus BOOLEAN NOT NULL,
    CONSTRAINT deposits_payment CHECK ((status = 'credited') = (payment_id IS NOT NULL)),
    CONSTRAINT deposits_credited CHECK ((status = 'credited') = (credited_cents IS NOT NULL))
);
CREATE UNIQUE INDEX deposits_payment_id ON deposits (payment_id);
CREATE UNIQUE INDEX deposits_user_id_idempotency_key ON deposits (user_id, idempotency_key);
CREATE UNIQUE INDEX deposits_method_invoice_id ON deposits (method, invoice_id);
CREATE INDEX deposits_of_player ON deposits (user_id, created_at_ms, id);
CREATE INDEX deposits_to_poll ON deposits (poll_at_ms) WHERE poll_at_ms IS NOT NULL;
CREATE INDEX deposits_changed ON deposits (changed_at_ms);
CREATE INDEX deposits_by_status ON deposits (status, changed_at_ms);
CREATE TABLE withdrawals (
    id VARCHAR(32) NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    provider VARCHAR(16) NOT NULL, method VARCHAR(64) NOT NULL,
    status VARCHAR(9) NOT NULL
        CHECK (status IN ('requested', 'approved', 'sending', 'sent', 'completed', 'rejected', 'failed')),
    amount_cents BIGINT NOT NULL CHECK (amount_cents > 0), destination VARCHAR(256) NOT NULL,
    txhash VARCHAR(128), payout_id VARCHAR(128), payouts_asked INTEGER NOT NULL,
    is_auto_approved BOOLEAN NOT NULL, check_decision VARCHAR(7), check_reason VARCHAR(200) NOT NULL,
    reason VARCHAR(200) NOT NULL,
    hold_id BIGINT NOT NULL REFERENCES ledger_transactions (id) ON DELETE RESTRICT,
    release_id BIGINT REFERENCES ledger_transactions (id) ON DELETE RESTRICT,
    payment_id BIGINT REFERENCES payments (id) ON DELETE RESTRICT, idempotency_key VARCHAR(64),
    created_at_ms BIGINT NOT NULL, changed_at_ms BIGINT NOT NULL, sending_since_ms BIGINT, poll_at_ms BIGINT,
    poll_wait_ms BIGINT NOT NULL, review_reason VARCHAR(200), in_progress_since_ms BIGINT,
    CONSTRAINT withdrawals_payment CHECK ((status = 'completed') = (payment_id IS NOT NULL)),
    CONSTRAINT withdrawals_release CHECK ((status IN ('rejected', 'failed')) = (release_id IS NOT NULL))
);
CREATE UNIQUE INDEX withdrawals_hold_id ON withdrawals (hold_id);
CREATE UNIQUE INDEX withdrawals_release_id ON withdrawals (release_id);
CREATE UNIQUE INDEX withdrawals_payment_id ON withdrawals (payment_id);
CREATE UNIQUE INDEX withdrawals_user_id_idempotency_key ON withdrawals (user_id, idempotency_key);
CREATE UNIQUE INDEX withdrawals_provider_payout_id ON withdrawals (provider, payout_id);
CREATE INDEX withdrawals_of_player ON withdrawals (user_id, created_at_ms, id);
CREATE INDEX withdrawals_to_poll ON withdrawals (poll_at_ms) WHERE poll_at_ms IS NOT NULL;
CREATE INDEX withdrawals_changed ON withdrawals (changed_at_ms);
CREATE INDEX withdrawals_by_status ON withdrawals (status, changed_at_ms);
CREATE INDEX withdrawals_by_destination ON withdrawals (destination);
CREATE INDEX withdrawals_by_txhash ON withdrawals (txhash) WHERE txhash IS NOT NULL;
CREATE TABLE webhook_deliveries (
    id BIGSERIAL NOT NULL PRIMARY KEY, provider VARCHAR(16) NOT NULL, delivery_id VARCHAR(128) NOT NULL,
    body TEXT NOT NULL, received_at_ms BIGINT NOT NULL, processed_at_ms BIGINT, error VARCHAR(200),
    payment_id BIGINT
);
CREATE UNIQUE INDEX webhook_deliveries_provider_delivery_id ON webhook_deliveries (provider, delivery_id);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (id) WHERE processed_at_ms IS NULL;
CREATE INDEX webhook_deliveries_received ON webhook_deliveries (received_at_ms);
CREATE INDEX webhook_deliveries_payment ON webhook_deliveries (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (id) WHERE error IS NOT NULL;
CREATE TABLE payment_discrepancies (
    id BIGSERIAL NOT NULL PRIMARY KEY, kind VARCHAR(32) NOT NULL, subject VARCHAR(128) NOT NULL,
    ours VARCHAR(200) NOT NULL, theirs VARCHAR(200) NOT NULL, found_at_ms BIGINT NOT NULL,
    solved_at_ms BIGINT, is_dismissed BOOLEAN NOT NULL, platform_id VARCHAR(80), address VARCHAR(256)
);
CREATE UNIQUE INDEX payment_discrepancies_kind_subject ON payment_discrepancies (kind, subject);
CREATE INDEX payment_discrepancies_open ON payment_discrepancies (kind) WHERE solved_at_ms IS NULL;
"""


def up(migrator, db):
    db.run_script(TABLES)
