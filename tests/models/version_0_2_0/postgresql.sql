-- The schema of version 0.2.0, as its migrations made it. pg_dump prints the same for both.
CREATE TABLE schema_migration (
    id SERIAL PRIMARY KEY, name VARCHAR(255) NOT NULL, applied TIMESTAMP NOT NULL
);
CREATE TABLE users (
    id BIGSERIAL PRIMARY KEY, platform_id VARCHAR(80) NOT NULL, username VARCHAR(32) NOT NULL,
    username_folded VARCHAR(32) NOT NULL, avatar VARCHAR(500) NOT NULL, registered_at_ms BIGINT NOT NULL,
    balance_cents BIGINT NOT NULL CHECK (balance_cents >= 0),
    vault_cents BIGINT NOT NULL CHECK (vault_cents >= 0),
    sweepstake_cents BIGINT NOT NULL CHECK (sweepstake_cents >= 0), vault_deadline_ms BIGINT,
    granted_experience BIGINT NOT NULL CHECK (granted_experience >= 0),
    wagered_cents BIGINT NOT NULL CHECK (wagered_cents >= 0),
    earned_cents BIGINT NOT NULL CHECK (earned_cents >= 0),
    client_seed VARCHAR(64) NOT NULL CHECK ((length(client_seed) >= 4) AND (length(client_seed) <= 64)),
    trade_url VARCHAR(500) NOT NULL, two_factor_enabled BOOLEAN NOT NULL, affiliate_code VARCHAR(24),
    used_affiliate_code VARCHAR(24), deposit_bonus BOOLEAN NOT NULL,
    free_cases INTEGER NOT NULL CHECK (free_cases >= 0)
);
CREATE TABLE announced_seeds (
    user_id BIGINT PRIMARY KEY REFERENCES users(id) ON DELETE RESTRICT,
    nonce BIGINT NOT NULL CHECK (nonce >= 1), server_seed_commitment VARCHAR(64) NOT NULL,
    sealed_server_seed TEXT NOT NULL, epoch BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE ledger_transactions (
    id BIGSERIAL PRIMARY KEY, kind VARCHAR(32) NOT NULL, created_at_ms BIGINT NOT NULL
);
CREATE TABLE bets (
    id BIGSERIAL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users(id) ON DELETE RESTRICT,
    game VARCHAR(16) NOT NULL, nonce BIGINT NOT NULL CHECK (nonce >= 1),
    ledger_transaction_id BIGINT NOT NULL REFERENCES ledger_transactions(id) ON DELETE RESTRICT,
    wager_cents BIGINT NOT NULL CHECK (wager_cents > 0),
    payout_cents BIGINT NOT NULL CHECK (payout_cents >= 0),
    status VARCHAR(8) NOT NULL CHECK (status IN ('won', 'lost')), item VARCHAR(200) NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents > 0),
    house_edge_ppm INTEGER NOT NULL CHECK ((house_edge_ppm >= 0) AND (house_edge_ppm <= 999999)),
    threshold INTEGER NOT NULL CHECK ((threshold >= 1) AND (threshold <= 9999999)),
    roll INTEGER NOT NULL CHECK ((roll >= 0) AND (roll <= 9999999)), client_seed VARCHAR(64) NOT NULL,
    server_seed_commitment VARCHAR(64) NOT NULL, sealed_server_seed TEXT, server_seed VARCHAR(64),
    request_id VARCHAR(64), request_digest VARCHAR(64), created_at_ms BIGINT NOT NULL,
    completed_at_ms BIGINT NOT NULL, proof_delivered_at_ms BIGINT,
    CONSTRAINT bets_check CHECK ((status = 'won') = (roll < threshold)),
    CONSTRAINT bets_check1 CHECK ((status = 'won') = (payout_cents > 0)),
    CONSTRAINT bets_check2 CHECK (price_cents > wager_cents),
    CONSTRAINT bets_check3 CHECK ((server_seed IS NULL) <> (sealed_server_seed IS NULL)),
    CONSTRAINT bets_check4 CHECK (completed_at_ms >= created_at_ms)
);
CREATE TABLE items (
    id BIGSERIAL PRIMARY KEY, app_id INTEGER NOT NULL CHECK (app_id IN (730, 252490)),
    market_hash_name VARCHAR(200) NOT NULL, gun_name VARCHAR(200) NOT NULL, skin_name VARCHAR(200) NOT NULL,
    image VARCHAR(1000) NOT NULL, price_cents BIGINT CHECK (price_cents >= 0), custom_price BOOLEAN NOT NULL,
    next_price_fetch_ms BIGINT NOT NULL,
    price_source VARCHAR(8) CHECK (price_source IN ('import', 'feed', 'market')), in_feed BOOLEAN,
    CONSTRAINT items_check CHECK ((price_cents IS NULL) = (price_source IS NULL))
);
CREATE TABLE ledger_entries (
    id BIGSERIAL PRIMARY KEY,
    transaction_id BIGINT NOT NULL REFERENCES ledger_transactions(id) ON DELETE RESTRICT,
    account VARCHAR(32) NOT NULL, user_id BIGINT REFERENCES users(id) ON DELETE RESTRICT,
    amount_cents BIGINT NOT NULL CHECK (amount_cents <> 0),
    CONSTRAINT ledger_entries_check CHECK (((user_id IS NOT NULL) AND (account IN ('balance', 'vault', 'sweepstake'))) OR ((user_id IS NULL) AND (substr(account, 1, 6) = 'house.')))
);
CREATE TABLE login_nonces (
    nonce VARCHAR(255) PRIMARY KEY, expires_at_ms BIGINT NOT NULL
);
CREATE TABLE notifications (
    id BIGSERIAL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    title VARCHAR(120) NOT NULL, message VARCHAR(1000) NOT NULL, created_at_ms BIGINT NOT NULL
);
CREATE TABLE payments (
    id BIGSERIAL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users(id) ON DELETE RESTRICT,
    type VARCHAR(8) NOT NULL CHECK (type IN ('deposit', 'withdraw')), chain VARCHAR(64) NOT NULL,
    asset VARCHAR(64) NOT NULL, amount VARCHAR(80) NOT NULL, usd_cents BIGINT NOT NULL CHECK (usd_cents > 0),
    txhash VARCHAR(128) NOT NULL, transfer_key VARCHAR(128), "to" VARCHAR(128) NOT NULL,
    ledger_transaction_id BIGINT NOT NULL REFERENCES ledger_transactions(id) ON DELETE RESTRICT,
    created_at_ms BIGINT NOT NULL
);
CREATE TABLE personal_details (
    user_id BIGINT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE, first_name VARCHAR(120) NOT NULL,
    last_name VARCHAR(120) NOT NULL, phone VARCHAR(16) NOT NULL, address_line1 VARCHAR(120) NOT NULL,
    address_line2 VARCHAR(120) NOT NULL, city VARCHAR(120) NOT NULL, zip_code VARCHAR(120) NOT NULL,
    state VARCHAR(120) NOT NULL, country VARCHAR(120) NOT NULL
);
CREATE TABLE two_factor (
    user_id BIGINT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE, sealed_secret TEXT NOT NULL,
    last_used_step BIGINT
);
CREATE TABLE vault_notices (
    user_id BIGINT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE, deadline_ms BIGINT NOT NULL
);
CREATE TABLE wrong_codes (
    id BIGSERIAL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    at_ms BIGINT NOT NULL
);
CREATE TABLE cases (
    id BIGSERIAL PRIMARY KEY, slug VARCHAR(300) NOT NULL, name VARCHAR(100) NOT NULL,
    name_folded VARCHAR(300) NOT NULL, kind VARCHAR(8) NOT NULL CHECK (kind IN ('regular', 'level', 'free')),
    type VARCHAR(8) NOT NULL CHECK (type IN ('gamea', 'gameb', 'mixed')),
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    creator_id BIGINT REFERENCES users(id) ON DELETE RESTRICT, used_balance_type VARCHAR(16),
    spins BIGINT NOT NULL CHECK (spins >= 0), created_at_ms BIGINT NOT NULL,
    CONSTRAINT cases_check CHECK ((kind = 'free') = (slug = 'free-case'))
);
CREATE TABLE case_counts (
    user_id BIGINT PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE,
    made INTEGER NOT NULL CHECK ((made >= 0) AND (made <= 50))
);
CREATE TABLE case_items (
    case_id BIGINT NOT NULL REFERENCES cases(id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK ("position" >= 0),
    item_id BIGINT NOT NULL REFERENCES items(id) ON DELETE RESTRICT,
    chance_attos BIGINT NOT NULL CHECK ((chance_attos >= 0) AND (chance_attos <= 1000000000000000000)),
    PRIMARY KEY (case_id, "position")
);
CREATE TABLE case_version (
    id SMALLINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL
);
CREATE TABLE irl_cases (
    id BIGSERIAL PRIMARY KEY, slug VARCHAR(64) NOT NULL, name VARCHAR(100) NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0), spins BIGINT NOT NULL CHECK (spins >= 0),
    created_at_ms BIGINT NOT NULL
);
CREATE TABLE irl_items (
    case_id BIGINT NOT NULL REFERENCES irl_cases(id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK ("position" >= 0), name VARCHAR(200) NOT NULL,
    image VARCHAR(1000) NOT NULL, price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    chance_attos BIGINT NOT NULL CHECK ((chance_attos >= 0) AND (chance_attos <= 1000000000000000000)),
    PRIMARY KEY (case_id, "position")
);
CREATE TABLE held_market_prices (
    item_id BIGINT PRIMARY KEY REFERENCES items(id) ON DELETE CASCADE, held_at_ms BIGINT NOT NULL
);
CREATE TABLE market_slots (
    slot INTEGER PRIMARY KEY, used_at_ms BIGINT NOT NULL
);
CREATE TABLE live_bet_counts (
    shard INTEGER PRIMARY KEY CHECK ((shard >= 0) AND (shard <= 63)), bets BIGINT NOT NULL CHECK (bets >= 0),
    high_rolls BIGINT NOT NULL,
    CONSTRAINT live_bet_counts_check CHECK ((high_rolls >= 0) AND (high_rolls <= bets))
);
CREATE TABLE payment_totals (
    user_id BIGINT PRIMARY KEY REFERENCES users(id) ON DELETE RESTRICT,
    deposits BIGINT NOT NULL CHECK (deposits >= 0),
    deposited_cents BIGINT NOT NULL CHECK (deposited_cents >= 0),
    withdraws BIGINT NOT NULL CHECK (withdraws >= 0),
    withdrawn_cents BIGINT NOT NULL CHECK (withdrawn_cents >= 0)
);
CREATE TABLE period_wagers (
    period VARCHAR(8) NOT NULL CHECK (period IN ('weekly', 'monthly')), starts_at_ms BIGINT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users(id) ON DELETE RESTRICT,
    wagered_cents BIGINT NOT NULL CHECK (wagered_cents > 0), PRIMARY KEY (period, starts_at_ms, user_id)
);
CREATE TABLE affiliates (
    user_id BIGINT PRIMARY KEY REFERENCES users(id) ON DELETE RESTRICT,
    claimed_cents BIGINT NOT NULL CHECK (claimed_cents >= 0), last_claimed_at_ms BIGINT
);
CREATE TABLE referrals (
    user_id BIGINT PRIMARY KEY REFERENCES users(id) ON DELETE RESTRICT,
    owner_id BIGINT NOT NULL REFERENCES users(id) ON DELETE RESTRICT,
    ledger_transaction_id BIGINT NOT NULL REFERENCES ledger_transactions(id) ON DELETE RESTRICT,
    used_at_ms BIGINT NOT NULL, deposited_cents BIGINT NOT NULL CHECK (deposited_cents >= 0),
    withdrawn_cents BIGINT NOT NULL CHECK (withdrawn_cents >= 0),
    bonus_cents BIGINT NOT NULL CHECK (bonus_cents >= 0),
    CONSTRAINT referrals_check CHECK (owner_id <> user_id)
);
CREATE TABLE seed_marks (
    number BIGINT PRIMARY KEY, token VARCHAR(32) NOT NULL, epoch BIGINT NOT NULL
);
CREATE TABLE price_sources (
    name VARCHAR(8) PRIMARY KEY, next_at_ms BIGINT NOT NULL, running_until_ms BIGINT NOT NULL,
    succeeded_at_ms BIGINT, failures INTEGER NOT NULL CHECK (failures >= 0)
);
CREATE UNIQUE INDEX announced_seeds_server_seed_commitment ON announced_seeds (server_seed_commitment);
CREATE INDEX bets_by_completion ON bets (completed_at_ms, id);
CREATE INDEX bets_high_rolls ON bets (completed_at_ms, id) WHERE ((wager_cents >= 5000) OR (payout_cents >= (10 * wager_cents)));
CREATE UNIQUE INDEX bets_ledger_transaction_id ON bets (ledger_transaction_id);
CREATE INDEX bets_of_player_least_earned ON bets (user_id, payout_cents, nonce DESC);
CREATE INDEX bets_of_player_most_earned ON bets (user_id, payout_cents DESC, nonce DESC);
CREATE UNIQUE INDEX bets_server_seed_commitment ON bets (server_seed_commitment);
CREATE INDEX bets_unrevealed ON bets (completed_at_ms) WHERE (server_seed IS NULL);
CREATE UNIQUE INDEX bets_user_id_nonce ON bets (user_id, nonce);
CREATE UNIQUE INDEX bets_user_id_request_id ON bets (user_id, request_id);
CREATE INDEX bets_without_delivered_proof ON bets (user_id, nonce) WHERE (proof_delivered_at_ms IS NULL);
CREATE UNIQUE INDEX case_items_by_item ON case_items (item_id, case_id);
CREATE INDEX cases_by_price ON cases (price_cents, id, kind, type, name_folded);
CREATE INDEX cases_by_time ON cases (created_at_ms, id, kind, type, name_folded);
CREATE UNIQUE INDEX cases_name_folded ON cases (name_folded);
CREATE UNIQUE INDEX cases_slug ON cases (slug);
CREATE UNIQUE INDEX irl_cases_slug ON irl_cases (slug);
CREATE UNIQUE INDEX items_market_hash_name ON items (market_hash_name);
CREATE INDEX ledger_entries_by_account ON ledger_entries (user_id, account, amount_cents);
CREATE INDEX ledger_entries_transaction_id ON ledger_entries (transaction_id);
CREATE INDEX login_nonces_by_expiry ON login_nonces (expires_at_ms);
CREATE INDEX notifications_of_player ON notifications (user_id, id);
CREATE UNIQUE INDEX payments_ledger_transaction_id ON payments (ledger_transaction_id);
CREATE INDEX payments_of_player ON payments (user_id, created_at_ms, id);
CREATE INDEX payments_of_player_by_type ON payments (user_id, type, created_at_ms, id);
CREATE INDEX payments_of_player_by_type_highest ON payments (user_id, type, usd_cents DESC, created_at_ms DESC, id DESC);
CREATE INDEX payments_of_player_by_type_lowest ON payments (user_id, type, usd_cents, created_at_ms DESC, id DESC);
CREATE INDEX payments_of_player_highest ON payments (user_id, usd_cents DESC, created_at_ms DESC, id DESC);
CREATE INDEX payments_of_player_lowest ON payments (user_id, usd_cents, created_at_ms DESC, id DESC);
CREATE UNIQUE INDEX payments_transfer_key ON payments (transfer_key);
CREATE INDEX period_wagers_leaderboard ON period_wagers (period, starts_at_ms, wagered_cents DESC, user_id);
CREATE UNIQUE INDEX referrals_ledger_transaction_id ON referrals (ledger_transaction_id);
CREATE INDEX referrals_of_owner ON referrals (owner_id);
CREATE UNIQUE INDEX schema_migration_name ON schema_migration (name);
CREATE UNIQUE INDEX users_affiliate_code ON users (affiliate_code);
CREATE UNIQUE INDEX users_platform_id ON users (platform_id);
CREATE UNIQUE INDEX users_username_folded ON users (username_folded);
CREATE INDEX wrong_codes_of_player ON wrong_codes (user_id, at_ms);
