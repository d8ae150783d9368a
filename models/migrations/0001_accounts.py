"""The tables of players and of what belongs to their accounts."""

TABLES = """
CREATE TABLE users (
    id BIGSERIAL NOT NULL PRIMARY KEY, platform_id VARCHAR(80) NOT NULL, username VARCHAR(32) NOT NULL,
    username_folded VARCHAR(32) NOT NULL COLLATE "C", avatar VARCHAR(500) NOT NULL,
    registered_at_ms BIGINT NOT NULL, is_anonymous BOOLEAN NOT NULL,
    balance_cents BIGINT NOT NULL CHECK (balance_cents >= 0),
    vault_cents BIGINT NOT NULL CHECK (vault_cents >= 0),
    sweepstake_cents BIGINT NOT NULL CHECK (sweepstake_cents >= 0), vault_deadline_ms BIGINT,
    granted_experience BIGINT NOT NULL CHECK (granted_experience >= 0),
    wagered_cents BIGINT NOT NULL CHECK (wagered_cents >= 0),
    earned_cents BIGINT NOT NULL CHECK (earned_cents >= 0),
    client_seed VARCHAR(64) NOT NULL CHECK (length(client_seed) BETWEEN 4 AND 64),
    trade_url VARCHAR(500) NOT NULL, two_factor_enabled BOOLEAN NOT NULL, affiliate_code VARCHAR(24),
    used_affiliate_code VARCHAR(24), deposit_bonus BOOLEAN NOT NULL,
    free_cases INTEGER NOT NULL CHECK (free_cases >= 0), balance_version BIGINT NOT NULL,
    token_number BIGINT NOT NULL, suspended_at_ms BIGINT, excluded_until_ms BIGINT,
    last_bet_at_ms BIGINT NOT NULL, play_began_at_ms BIGINT NOT NULL, play_wagered_cents BIGINT NOT NULL,
    play_paid_cents BIGINT NOT NULL, day_starts_at_ms BIGINT NOT NULL, day_wagered_cents BIGINT NOT NULL,
    day_paid_cents BIGINT NOT NULL, week_starts_at_ms BIGINT NOT NULL, week_wagered_cents BIGINT NOT NULL,
    week_paid_cents BIGINT NOT NULL, month_starts_at_ms BIGINT NOT NULL, month_wagered_cents BIGINT NOT NULL,
    month_paid_cents BIGINT NOT NULL, day_wager_limit_cents BIGINT, day_loss_limit_cents BIGINT,
    week_wager_limit_cents BIGINT, week_loss_limit_cents BIGINT, month_wager_limit_cents BIGINT,
    month_loss_limit_cents BIGINT, day_deposit_limit_cents BIGINT, week_deposit_limit_cents BIGINT,
    month_deposit_limit_cents BIGINT, notifications_read_at_ms BIGINT NOT NULL,
    theoretical_loss_ucents BIGINT NOT NULL,
    battle_seats_cents BIGINT NOT NULL CHECK (battle_seats_cents >= 0),
    closed_at_ms BIGINT, erased_at_ms BIGINT, pseudonym VARCHAR(32), login_digest VARCHAR(32),
    CONSTRAINT users_closed CHECK (
        closed_at_ms IS NULL OR (suspended_at_ms IS NOT NULL AND balance_cents = 0 AND vault_cents = 0
            AND sweepstake_cents = 0 AND battle_seats_cents = 0)
    ),
    CONSTRAINT users_erased CHECK (
        erased_at_ms IS NULL OR (closed_at_ms IS NOT NULL AND pseudonym IS NOT NULL)
    )
);
CREATE UNIQUE INDEX users_platform_id ON users (platform_id);
CREATE UNIQUE INDEX users_username_folded ON users (username_folded);
CREATE UNIQUE INDEX users_affiliate_code ON users (affiliate_code);
CREATE INDEX users_leaderboard_of_week ON users (week_starts_at_ms, week_wagered_cents DESC, id)
    WHERE suspended_at_ms IS NULL;
CREATE INDEX users_leaderboard_of_month ON users (month_starts_at_ms, month_wagered_cents DESC, id)
    WHERE suspended_at_ms IS NULL;
CREATE INDEX users_suspended ON users (id) WHERE suspended_at_ms IS NOT NULL;
CREATE INDEX users_excluded ON users (id) WHERE excluded_until_ms IS NOT NULL;
CREATE INDEX users_closed ON users (closed_at_ms) WHERE closed_at_ms IS NOT NULL;
CREATE UNIQUE INDEX users_pseudonym ON users (pseudonym) WHERE pseudonym IS NOT NULL;
CREATE INDEX users_login_digest ON users (login_digest) WHERE login_digest IS NOT NULL;
CREATE TABLE personal_details (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    first_name VARCHAR(120) NOT NULL, last_name VARCHAR(120) NOT NULL, phone VARCHAR(16) NOT NULL,
    address_line1 VARCHAR(120) NOT NULL, address_line2 VARCHAR(120) NOT NULL, city VARCHAR(120) NOT NULL,
    zip_code VARCHAR(120) NOT NULL, state VARCHAR(120) NOT NULL, country VARCHAR(120) NOT NULL
);
CREATE TABLE two_factor (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    encrypted_secret TEXT NOT NULL, last_used_step BIGINT
);
CREATE TABLE recovery_codes (
    id BIGSERIAL NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    encrypted_code TEXT NOT NULL
);
CREATE INDEX recovery_codes_of_player ON recovery_codes (user_id);
CREATE TABLE wrong_codes (
    id BIGSERIAL NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    at_ms BIGINT NOT NULL
);
CREATE INDEX wrong_codes_of_player ON wrong_codes (user_id, at_ms);
CREATE TABLE login_challenges (
    key VARCHAR(64) NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_at_ms BIGINT NOT NULL
);
CREATE INDEX login_challenges_of_player ON login_challenges (user_id);
CREATE TABLE confirmed_tokens (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, token_id VARCHAR(64) NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (user_id, token_id)
);
CREATE TABLE login_nonces (nonce VARCHAR(255) NOT NULL PRIMARY KEY, expires_at_ms BIGINT NOT NULL);
CREATE INDEX login_nonces_by_expiry ON login_nonces (expires_at_ms);
CREATE TABLE login_devices (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, key VARCHAR(64) NOT NULL,
    seen_at_ms BIGINT NOT NULL,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX login_devices_by_key ON login_devices (key, user_id);
CREATE TABLE limit_requests (
    id VARCHAR(32) NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    kind VARCHAR(7) NOT NULL CHECK (kind IN ('wager', 'loss', 'deposit')),
    period VARCHAR(5) NOT NULL CHECK (period IN ('day', 'week', 'month')),
    value_cents BIGINT CHECK (value_cents >= 0), requested_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX limit_requests_user_id_kind_period ON limit_requests (user_id, kind, period);
CREATE TABLE notifications (
    id BIGSERIAL NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    title VARCHAR(120) NOT NULL, message VARCHAR(1000) NOT NULL, created_at_ms BIGINT NOT NULL
);
CREATE INDEX notifications_of_player ON notifications (user_id, id);
CREATE TABLE player_notes (
    id BIGSERIAL NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    text VARCHAR(2000) NOT NULL, written_by VARCHAR(64) NOT NULL, written_at_ms BIGINT NOT NULL
);
CREATE INDEX player_notes_of_player ON player_notes (user_id, id);
CREATE TABLE player_tags (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, tag VARCHAR(32) NOT NULL,
    added_by VARCHAR(64) NOT NULL, added_at_ms BIGINT NOT NULL,
    PRIMARY KEY (user_id, tag)
);
CREATE INDEX player_tags_by_tag ON player_tags (tag, user_id);
"""


def up(migrator, db):
    db.run_script(TABLES)
