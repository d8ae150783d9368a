"""The tables of rewards."""

TABLES = """
CREATE TABLE rewards (
    id BIGSERIAL NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    kind VARCHAR(8) NOT NULL CHECK (kind IN ('rakeback', 'level', 'daily', 'bonus', 'grant', 'code')),
    number BIGINT NOT NULL, coins_cents BIGINT CHECK (coins_cents > 0),
    case_id BIGINT REFERENCES cases (id) ON DELETE RESTRICT,
    value_cents BIGINT CHECK (value_cents >= 0),
    state VARCHAR(9) NOT NULL CHECK (state IN ('offered', 'claimed', 'used', 'forfeited', 'expired')),
    theoretical_loss_ucents BIGINT, needed_ucents BIGINT,
    payment_id BIGINT REFERENCES payments (id) ON DELETE RESTRICT,
    offered_at_ms BIGINT NOT NULL, changed_at_ms BIGINT NOT NULL, expires_at_ms BIGINT,
    granted_by VARCHAR(80), reason VARCHAR(200),
    ledger_transaction_id BIGINT REFERENCES ledger_transactions (id) ON DELETE RESTRICT,
    bet_id BIGINT REFERENCES bets (id) ON DELETE RESTRICT,
    CONSTRAINT rewards_content CHECK ((coins_cents IS NULL) <> (case_id IS NULL)),
    CONSTRAINT rewards_value CHECK ((value_cents IS NULL) = (case_id IS NULL)),
    CONSTRAINT rewards_used CHECK (
        (bet_id IS NOT NULL) = (state = 'used') AND (bet_id IS NULL OR case_id IS NOT NULL)
    ),
    CONSTRAINT rewards_paid CHECK (
        (ledger_transaction_id IS NOT NULL) = (state = 'claimed' AND coins_cents IS NOT NULL)
    ),
    CONSTRAINT rewards_counted CHECK (
        (theoretical_loss_ucents IS NOT NULL) = (kind IN ('rakeback', 'bonus'))
    ),
    CONSTRAINT rewards_of_deposit CHECK (
        (needed_ucents IS NOT NULL) = (kind = 'bonus') AND (payment_id IS NOT NULL) = (kind = 'bonus')
    )
);
CREATE UNIQUE INDEX rewards_ledger_transaction_id ON rewards (ledger_transaction_id);
CREATE UNIQUE INDEX rewards_bet_id ON rewards (bet_id);
CREATE UNIQUE INDEX rewards_user_id_kind_number ON rewards (user_id, kind, number);
CREATE UNIQUE INDEX rewards_payment_id ON rewards (payment_id);
CREATE INDEX rewards_changed ON rewards (changed_at_ms);
CREATE UNIQUE INDEX rewards_open_bonus ON rewards (user_id) WHERE kind = 'bonus' AND state = 'offered';
CREATE TABLE level_gifts (
    level INTEGER NOT NULL PRIMARY KEY CHECK (level BETWEEN 1 AND 10000),
    coins_cents BIGINT CHECK (coins_cents > 0), case_id BIGINT REFERENCES cases (id) ON DELETE RESTRICT,
    CONSTRAINT level_gifts_content CHECK ((coins_cents IS NULL) <> (case_id IS NULL))
);
"""


def up(migrator, db):
    db.run_script(TABLES)
