"""The tables of battles and of the beacons that decide them."""

TABLES = """
CREATE TABLE battles (
    id BIGSERIAL NOT NULL PRIMARY KEY, public_id VARCHAR(22) NOT NULL,
    state VARCHAR(9) NOT NULL CHECK (state IN ('open', 'locked', 'settled', 'cancelled', 'void')),
    version BIGINT NOT NULL CHECK (version >= 1),
    mode VARCHAR(7) NOT NULL CHECK (mode IN ('normal', 'jackpot', 'shared')), teams VARCHAR(11) NOT NULL,
    is_crazy BOOLEAN NOT NULL, is_terminal BOOLEAN NOT NULL, is_players_only BOOLEAN NOT NULL,
    is_private BOOLEAN NOT NULL, cost_cents BIGINT NOT NULL CHECK (cost_cents > 0),
    counted_edge_ppm INTEGER NOT NULL CHECK (counted_edge_ppm BETWEEN 0 AND 999999),
    creator_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT, commitment VARCHAR(64) NOT NULL,
    encrypted_server_seed TEXT NOT NULL, server_seed VARCHAR(64),
    created_at_ms BIGINT NOT NULL,
    locked_at_ms BIGINT, round BIGINT, lock_entry_id BIGINT REFERENCES log_entries (id) ON DELETE RESTRICT,
    lock_index BIGINT, is_lock_in_time BOOLEAN, is_restored BOOLEAN NOT NULL,
    ended_at_ms BIGINT, signature VARCHAR(96),
    randomness VARCHAR(64), end_entry_id BIGINT REFERENCES log_entries (id) ON DELETE RESTRICT,
    end_index BIGINT, void_reason VARCHAR(7) CHECK (void_reason IN ('late', 'beacon', 'restore')),
    outcome TEXT, bot_seats INTEGER, bot_wins INTEGER CHECK (bot_wins BETWEEN 0 AND bot_seats),
    ledger_transaction_id BIGINT REFERENCES ledger_transactions (id) ON DELETE RESTRICT,
    CONSTRAINT battles_lock CHECK (
        (state IN ('locked', 'settled', 'void')) = (lock_entry_id IS NOT NULL)
        AND (lock_entry_id IS NULL) = (locked_at_ms IS NULL) AND (lock_entry_id IS NULL) = (round IS NULL)
    ),
    CONSTRAINT battles_end CHECK (
        (state IN ('settled', 'void', 'cancelled')) = (ended_at_ms IS NOT NULL)
        AND (state IN ('settled', 'void')) = (end_entry_id IS NOT NULL)
        AND (state = 'void') = (void_reason IS NOT NULL)
        AND (state = 'settled') = (signature IS NOT NULL AND randomness IS NOT NULL
            AND outcome IS NOT NULL AND bot_wins IS NOT NULL AND ledger_transaction_id IS NOT NULL)
    )
);
CREATE UNIQUE INDEX battles_public_id ON battles (public_id);
CREATE UNIQUE INDEX battles_commitment ON battles (commitment);
CREATE UNIQUE INDEX battles_lock_entry_id ON battles (lock_entry_id);
CREATE UNIQUE INDEX battles_end_entry_id ON battles (end_entry_id);
CREATE UNIQUE INDEX battles_ledger_transaction_id ON battles (ledger_transaction_id);
CREATE INDEX battles_under_way ON battles (state, id) WHERE state IN ('open', 'locked');
CREATE INDEX battles_void ON battles (id) WHERE state = 'void';
CREATE INDEX battles_lock_index ON battles (lock_index) WHERE lock_index IS NOT NULL;
CREATE INDEX battles_of_bots ON battles (teams, mode, bot_seats, bot_wins)
    WHERE bot_seats > 0 AND mode <> 'shared';
CREATE INDEX battles_listed ON battles (state, id) WHERE NOT is_private;
CREATE TABLE battle_cases (
    battle_id BIGINT NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK (position >= 0), count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 50),
    case_id BIGINT NOT NULL, slug VARCHAR(300) NOT NULL, name VARCHAR(100) NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents > 0), snapshot_id BIGINT NOT NULL,
    snapshot_hash VARCHAR(64) NOT NULL, PRIMARY KEY (battle_id, position)
);
CREATE TABLE battle_seats (
    id BIGSERIAL NOT NULL PRIMARY KEY, battle_id BIGINT NOT NULL REFERENCES battles (id) ON DELETE CASCADE,
    seat INTEGER NOT NULL CHECK (seat BETWEEN 0 AND 5),
    user_id BIGINT REFERENCES users (id) ON DELETE RESTRICT, client_seed VARCHAR(64) NOT NULL,
    joined_at_ms BIGINT NOT NULL, left_at_ms BIGINT, request_id VARCHAR(64), request_digest VARCHAR(64),
    bet_id BIGINT REFERENCES bets (id) ON DELETE RESTRICT, after_nonce BIGINT,
    CONSTRAINT battle_seats_bet CHECK ((bet_id IS NULL) = (after_nonce IS NULL))
);
CREATE UNIQUE INDEX battle_seats_bet_id ON battle_seats (bet_id);
CREATE UNIQUE INDEX battle_seats_taken ON battle_seats (battle_id, seat) WHERE left_at_ms IS NULL;
CREATE UNIQUE INDEX battle_seats_of_player ON battle_seats (user_id, battle_id) WHERE left_at_ms IS NULL;
CREATE UNIQUE INDEX battle_seats_by_request_id ON battle_seats (user_id, request_id)
    WHERE request_id IS NOT NULL;
CREATE INDEX battle_seats_in_history ON battle_seats (user_id, after_nonce, bet_id, id)
    WHERE bet_id IS NOT NULL;
CREATE TABLE battle_snapshots (
    id BIGINT NOT NULL PRIMARY KEY, hash VARCHAR(64) NOT NULL CHECK (length(hash) = 64),
    content TEXT NOT NULL, used_at_ms BIGINT NOT NULL
);
"""

BEACONS = """
CREATE TABLE beacons (
    round BIGINT NOT NULL PRIMARY KEY CHECK (round > 0),
    signature VARCHAR(96) NOT NULL CHECK (length(signature) = 96),
    randomness VARCHAR(64) NOT NULL CHECK (length(randomness) = 64),
    arrived_at_ms BIGINT NOT NULL, is_by_hand BOOLEAN NOT NULL
);
CREATE INDEX beacons_arrived_at_ms ON beacons (arrived_at_ms);
"""


def up(migrator, db):
    db.run_script(TABLES)
    db.run_script(BEACONS)
