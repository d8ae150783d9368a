"""The tables of exports: files with everything that is known of a player, and the lease of their making."""

TABLES = """
CREATE TABLE exports (
    id VARCHAR(32) NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    requested_at_ms BIGINT NOT NULL, due_at_ms BIGINT, made_at_ms BIGINT,
    packed_bytes BIGINT NOT NULL CHECK (packed_bytes >= 0), bytes BIGINT NOT NULL CHECK (bytes >= 0),
    CONSTRAINT exports_made CHECK ((made_at_ms IS NULL) = (due_at_ms IS NOT NULL))
);
CREATE UNIQUE INDEX exports_user_id ON exports (user_id);
CREATE TABLE export_slices (
    export_id VARCHAR(32) NOT NULL REFERENCES exports (id) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number >= 0), content BYTEA NOT NULL,
    PRIMARY KEY (export_id, number)
);
"""


def up(migrator, db):
    db.run_script(TABLES)
    db.execute_sql("INSERT INTO leases (name, epoch, until_ms) VALUES ('exports', 0, 0)")
