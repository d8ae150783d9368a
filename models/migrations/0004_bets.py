"""The tables of bets, of their seeds and prizes, and of sums of them."""

TABLES = """
CREATE TABLE snapshots (
    id BIGSERIAL NOT NULL PRIMARY KEY, hash VARCHAR(64) NOT NULL CHECK (length(hash) = 64),
    content TEXT NOT NULL
);
CREATE TABLE announced_seeds (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE RESTRICT,
    nonce BIGINT NOT NULL CHECK (nonce >= 1), server_seed_commitment VARCHAR(64) NOT NULL,
    encrypted_server_seed TEXT NOT NULL, epoch BIGINT NOT NULL, is_logged BOOLEAN NOT NULL
);
CREATE TABLE bets (
    id BIGSERIAL NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    game VARCHAR(16) NOT NULL, nonce BIGINT NOT NULL,
    ledger_transaction_id BIGINT NOT NULL REFERENCES ledger_transactions (id) ON DELETE RESTRICT,
    algorithm VARCHAR(16) NOT NULL
        CHECK (algorithm IN ('upgrader-1', 'case-1', 'irl-1', 'battle-1')),
    wager_cents BIGINT NOT NULL CHECK (wager_cents >= 0),
    payout_cents BIGINT NOT NULL CHECK (payout_cents >= 0),
    status VARCHAR(8) NOT NULL CHECK (status IN ('won', 'lost')), item VARCHAR(200) NOT NULL,
    price_cents BIGINT CHECK (price_cents > 0),
    house_edge_ppm INTEGER CHECK (house_edge_ppm BETWEEN 0 AND 999999),
    threshold INTEGER CHECK (threshold BETWEEN 1 AND 9999999),
    roll INTEGER CHECK (roll BETWEEN 0 AND 9999999),
    snapshot_id BIGINT REFERENCES snapshots (id) ON DELETE RESTRICT,
    ticket BIGINT CHECK (ticket BETWEEN 0 AND 999999999999999999), client_seed VARCHAR(64) NOT NULL,
    server_seed_commitment VARCHAR(64) NOT NULL, encrypted_server_seed TEXT, server_seed VARCHAR(64),
    request_id VARCHAR(64), request_digest VARCHAR(64), created_at_ms BIGINT NOT NULL,
    proof_due_at_ms BIGINT NOT NULL, proof_delivered_at_ms BIGINT, proof_held_by INTEGER,
    next_commitment BYTEA, case_id BIGINT,
    counted_edge_ppm INTEGER CHECK (counted_edge_ppm BETWEEN 0 AND 999999),
    CONSTRAINT bets_upgrader_1 CHECK (
        algorithm <> 'upgrader-1' OR (
            price_cents IS NOT NULL AND house_edge_ppm IS NOT NULL
            AND threshold IS NOT NULL AND roll IS NOT NULL
            AND snapshot_id IS NULL AND ticket IS NULL AND wager_cents > 0 AND price_cents > wager_cents
            AND (status = 'won') = (roll < threshold) AND (status = 'won') = (payout_cents > 0)
        )
    ),
    CONSTRAINT bets_openings CHECK (
        algorithm NOT IN ('case-1', 'irl-1') OR (
            snapshot_id IS NOT NULL AND ticket IS NOT NULL
            AND price_cents IS NULL AND house_edge_ppm IS NULL AND threshold IS NULL AND roll IS NULL
            AND (status = 'won') = (payout_cents > wager_cents)
        )
    ),
    CONSTRAINT bets_battle_1 CHECK (
        (algorithm = 'battle-1') = (nonce < 0) AND nonce <> 0
        AND (algorithm = 'battle-1') = (next_commitment IS NULL)
        AND (algorithm <> 'battle-1' OR (
            snapshot_id IS NULL AND ticket IS NULL AND price_cents IS NULL AND house_edge_ppm IS NULL
            AND threshold IS NULL AND roll IS NULL AND wager_cents > 0 AND server_seed IS NOT NULL
            AND (status = 'won') = (payout_cents > wager_cents)
        ))
    ),
    CONSTRAINT bets_one_seed CHECK ((server_seed IS NULL) <> (encrypted_server_seed IS NULL)),
    CONSTRAINT bets_proof_due CHECK (proof_due_at_ms >= created_at_ms)
);
CREATE INDEX bets_ledger_transaction_id ON bets (ledger_transaction_id);
CREATE UNIQUE INDEX bets_by_commitment ON bets (server_seed_commitment) WHERE nonce > 0;
CREATE UNIQUE INDEX bets_user_id_nonce ON bets (user_id, nonce);
CREATE UNIQUE INDEX bets_by_request_id ON bets (user_id, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX bets_by_proof_due ON bets (proof_due_at_ms, id, user_id);
CREATE INDEX bets_without_delivered_proof ON bets (user_id, nonce) WHERE proof_delivered_at_ms IS NULL;
CREATE INDEX bets_unclaimed ON bets (proof_due_at_ms)
    WHERE proof_held_by IS NULL AND proof_delivered_at_ms IS NULL;
CREATE INDEX bets_high_rolls ON bets (proof_due_at_ms, id, user_id)
    WHERE (wager_cents >= 5000 OR (wager_cents > 0 AND payout_cents >= 10 * wager_cents));
CREATE INDEX bets_of_case ON bets (game, case_id, id) WHERE case_id IS NOT NULL;
CREATE INDEX bets_best_of_case ON bets (game, case_id, payout_cents, id)
    WHERE case_id IS NOT NULL AND payout_cents > wager_cents;
CREATE INDEX bets_of_player_least_earned ON bets (user_id, payout_cents, nonce DESC, game);
CREATE TABLE prizes (
    id BIGSERIAL NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    bet_id BIGINT NOT NULL REFERENCES bets (id) ON DELETE RESTRICT, name VARCHAR(200) NOT NULL,
    image VARCHAR(1000) NOT NULL, value_cents BIGINT NOT NULL CHECK (value_cents >= 0),
    status VARCHAR(8) NOT NULL CHECK (status IN ('kept', 'sold', 'shipping', 'shipped')),
    won_at_ms BIGINT NOT NULL, encrypted_address TEXT, tracking VARCHAR(200),
    CONSTRAINT prizes_address CHECK ((status IN ('shipping', 'shipped')) = (encrypted_address IS NOT NULL))
);
CREATE UNIQUE INDEX prizes_bet_id ON prizes (bet_id);
CREATE INDEX prizes_of_player ON prizes (user_id, id);
CREATE INDEX prizes_to_ship ON prizes (id) WHERE status = 'shipping';
CREATE TABLE live_bet_counts (
    shard INTEGER NOT NULL PRIMARY KEY CHECK (shard BETWEEN 0 AND 63), bets BIGINT NOT NULL CHECK (bets >= 0),
    high_rolls BIGINT NOT NULL CHECK (high_rolls BETWEEN 0 AND bets)
);
CREATE TABLE daily_figures (
    day_starts_at_ms BIGINT NOT NULL, game VARCHAR(16) NOT NULL, case_id VARCHAR(300) NOT NULL,
    price_class VARCHAR(10) NOT NULL
        CHECK (price_class IN ('', 'under-10', 'under-100', 'under-1000', 'from-1000', 'free')),
    bets BIGINT NOT NULL CHECK (bets > 0), wagered_cents BIGINT NOT NULL CHECK (wagered_cents >= 0),
    paid_cents BIGINT NOT NULL CHECK (paid_cents >= 0), expected_cents DOUBLE PRECISION NOT NULL,
    variance_square_cents DOUBLE PRECISION NOT NULL, largest_cents BIGINT NOT NULL CHECK (largest_cents >= 0),
    PRIMARY KEY (day_starts_at_ms, game, case_id, price_class)
);
CREATE TABLE daily_liabilities (
    day_starts_at_ms BIGINT NOT NULL PRIMARY KEY, balances_cents BIGINT NOT NULL,
    vaults_cents BIGINT NOT NULL, sweepstake_cents BIGINT NOT NULL, held_cents BIGINT NOT NULL,
    prizes_cents BIGINT NOT NULL, battles_cents BIGINT NOT NULL, taken_at_ms BIGINT NOT NULL
);
"""


def up(migrator, db):
    db.run_script(TABLES)
