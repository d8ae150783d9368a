"""The tables of the ledger and affiliate codes."""

TABLES = """
CREATE TABLE ledger_transactions (
    id BIGSERIAL NOT NULL PRIMARY KEY, kind VARCHAR(32) NOT NULL, created_at_ms BIGINT NOT NULL
);
CREATE TABLE ledger_entries (
    id BIGSERIAL NOT NULL PRIMARY KEY,
    transaction_id BIGINT NOT NULL REFERENCES ledger_transactions (id) ON DELETE RESTRICT,
    account VARCHAR(32) NOT NULL, user_id BIGINT REFERENCES users (id) ON DELETE RESTRICT,
    amount_cents BIGINT NOT NULL CHECK (amount_cents <> 0),
    CHECK ((user_id IS NOT NULL AND account IN ('balance', 'vault', 'sweepstake'))
        OR (user_id IS NULL AND substr(account, 1, 6) = 'house.'))
);
CREATE INDEX ledger_entries_transaction_id ON ledger_entries (transaction_id);
CREATE INDEX ledger_entries_of_player ON ledger_entries (user_id, id, account, amount_cents)
    WHERE user_id IS NOT NULL;
CREATE INDEX ledger_entries_of_house ON ledger_entries (account, amount_cents) WHERE user_id IS NULL;
CREATE TABLE affiliates (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE RESTRICT,
    claimed_cents BIGINT NOT NULL CHECK (claimed_cents >= 0), last_claimed_at_ms BIGINT
);
CREATE TABLE referrals (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE RESTRICT,
    owner_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    ledger_transaction_id BIGINT NOT NULL REFERENCES ledger_transactions (id) ON DELETE RESTRICT,
    used_at_ms BIGINT NOT NULL, deposited_cents BIGINT NOT NULL CHECK (deposited_cents >= 0),
    withdrawn_cents BIGINT NOT NULL CHECK (withdrawn_cents >= 0),
    bonus_cents BIGINT NOT NULL CHECK (bonus_cents >= 0), theoretical_loss_before_ucents BIGINT NOT NULL,
    CHECK (owner_id <> user_id)
);
CREATE UNIQUE INDEX referrals_ledger_transaction_id ON referrals (ledger_transaction_id);
CREATE INDEX referrals_of_owner ON referrals (owner_id);
"""


def up(migrator, db):
    db.run_script(TABLES)
