"""The table of players' address books."""

TABLES = """
CREATE TABLE withdrawal_addresses (
    id VARCHAR(32) NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE RESTRICT,
    method VARCHAR(64) NOT NULL, name VARCHAR(32) NOT NULL, address VARCHAR(256) NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX withdrawal_addresses_user_id_method_address
    ON withdrawal_addresses (user_id, method, address);
CREATE INDEX withdrawal_addresses_by_time ON withdrawal_addresses (created_at_ms);
"""


def up(migrator, db):
    db.run_script(TABLES)
