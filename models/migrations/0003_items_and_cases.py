"""The tables of items, their prices and cases, with a row for each price source and market slot."""

TABLES = """
CREATE TABLE items (
    id BIGSERIAL NOT NULL PRIMARY KEY, app_id INTEGER NOT NULL CHECK (app_id IN (730, 252490)),
    market_hash_name VARCHAR(200) NOT NULL, gun_name VARCHAR(200) NOT NULL, skin_name VARCHAR(200) NOT NULL,
    image VARCHAR(1000) NOT NULL, price_cents BIGINT CHECK (price_cents >= 0), custom_price BOOLEAN NOT NULL,
    next_price_fetch_ms BIGINT NOT NULL,
    price_source VARCHAR(8) CHECK (price_source IN ('import', 'feed', 'market')), in_feed BOOLEAN,
    retired_at_ms BIGINT,
    CHECK ((price_cents IS NULL) = (price_source IS NULL))
);
CREATE UNIQUE INDEX items_market_hash_name ON items (market_hash_name);
CREATE TABLE shared_items (
    app_id INTEGER NOT NULL, market_hash_name VARCHAR(200) NOT NULL, gun_name VARCHAR(200) NOT NULL,
    skin_name VARCHAR(200) NOT NULL, image VARCHAR(1000) NOT NULL, price_cents BIGINT NOT NULL,
    next_price_fetch_ms BIGINT NOT NULL,
    PRIMARY KEY (app_id, market_hash_name)
);
CREATE TABLE price_sources (
    name VARCHAR(8) NOT NULL PRIMARY KEY, next_at_ms BIGINT NOT NULL, succeeded_at_ms BIGINT,
    failures INTEGER NOT NULL CHECK (failures >= 0), last_error VARCHAR(200), jumps_accepted_at_ms BIGINT
);
CREATE TABLE market_slots (slot INTEGER NOT NULL PRIMARY KEY, used_at_ms BIGINT NOT NULL);
CREATE TABLE held_market_prices (
    item_id BIGINT NOT NULL PRIMARY KEY REFERENCES items (id) ON DELETE CASCADE, held_at_ms BIGINT NOT NULL
);
CREATE TABLE cases (
    id BIGSERIAL NOT NULL PRIMARY KEY, slug VARCHAR(300) NOT NULL, name VARCHAR(100) NOT NULL,
    name_folded VARCHAR(300) NOT NULL, kind VARCHAR(8) NOT NULL CHECK (kind IN ('regular', 'level', 'free')),
    type VARCHAR(8) NOT NULL CHECK (type IN ('gamea', 'gameb', 'mixed')),
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    creator_id BIGINT REFERENCES users (id) ON DELETE RESTRICT, used_balance_type VARCHAR(16),
    created_at_ms BIGINT NOT NULL, required_level INTEGER, retired_at_ms BIGINT,
    image VARCHAR(1000) NOT NULL,
    CHECK ((kind = 'free') = (slug = 'free-case')),
    CHECK (required_level IS NULL OR (required_level >= 0 AND kind = 'level'))
);
CREATE UNIQUE INDEX cases_slug ON cases (slug);
CREATE UNIQUE INDEX cases_name_folded ON cases (name_folded);
CREATE INDEX cases_by_time ON cases (created_at_ms, id, kind, type, name_folded, retired_at_ms);
CREATE INDEX cases_by_price ON cases (price_cents, id, kind, type, name_folded, retired_at_ms);
CREATE TABLE case_items (
    case_id BIGINT NOT NULL REFERENCES cases (id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK (position >= 0),
    item_id BIGINT NOT NULL REFERENCES items (id) ON DELETE RESTRICT,
    ticket_width BIGINT NOT NULL CHECK (ticket_width BETWEEN 0 AND 1000000000000000000),
    PRIMARY KEY (case_id, position)
);
CREATE UNIQUE INDEX case_items_by_item ON case_items (item_id, case_id);
CREATE TABLE case_version (id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL);
CREATE TABLE irl_cases (
    id BIGSERIAL NOT NULL PRIMARY KEY, slug VARCHAR(64) NOT NULL, name VARCHAR(100) NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0), created_at_ms BIGINT NOT NULL,
    retired_at_ms BIGINT, image VARCHAR(1000) NOT NULL
);
CREATE UNIQUE INDEX irl_cases_slug ON irl_cases (slug);
CREATE TABLE irl_items (
    case_id BIGINT NOT NULL REFERENCES irl_cases (id) ON DELETE CASCADE,
    position INTEGER NOT NULL CHECK (position >= 0), name VARCHAR(200) NOT NULL, image VARCHAR(1000) NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    ticket_width BIGINT NOT NULL CHECK (ticket_width BETWEEN 0 AND 1000000000000000000),
    PRIMARY KEY (case_id, position)
);
CREATE TABLE case_spins (
    game VARCHAR(16) NOT NULL CHECK (game IN ('case', 'irl')), case_id BIGINT NOT NULL,
    shard INTEGER NOT NULL CHECK (shard BETWEEN 0 AND 63), spins BIGINT NOT NULL CHECK (spins >= 1),
    PRIMARY KEY (game, case_id, shard)
);
"""


def up(migrator, db):
    db.run_script(TABLES)
    db.execute_sql(
        "INSERT INTO price_sources (name, next_at_ms, failures) VALUES ('feed', 0, 0), ('market', 0, 0)"
    )
    for slot in range(20):
        db.execute_sql(f"INSERT INTO market_slots (slot, used_at_ms) VALUES ({slot}, 0)")
