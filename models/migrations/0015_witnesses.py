"""The tables of cosigned checkpoints and of their witnesses, and the lease of who submits them."""

TABLES = """
CREATE TABLE cosigned_checkpoints (
    id BIGSERIAL NOT NULL PRIMARY KEY, origin VARCHAR(255) NOT NULL,
    size BIGINT NOT NULL CHECK (size >= 0), root VARCHAR(64) NOT NULL,
    first_cosigned_at_ms BIGINT NOT NULL, witnessed_at_ms BIGINT
);
CREATE UNIQUE INDEX cosigned_checkpoints_origin_size ON cosigned_checkpoints (origin, size);
CREATE INDEX cosigned_checkpoints_first_cosigned ON cosigned_checkpoints (first_cosigned_at_ms);
CREATE TABLE cosignatures (
    checkpoint_id BIGINT NOT NULL REFERENCES cosigned_checkpoints (id) ON DELETE CASCADE,
    witness TEXT NOT NULL, line TEXT NOT NULL, cosigned_at_ms BIGINT NOT NULL,
    PRIMARY KEY (checkpoint_id, witness)
);
CREATE TABLE witness_states (
    witness TEXT NOT NULL PRIMARY KEY, origin VARCHAR(255) NOT NULL, size BIGINT NOT NULL,
    cosigned_at_ms BIGINT, clock_ahead_ms BIGINT, problem VARCHAR(200), problem_since_ms BIGINT
);
"""


def up(migrator, db):
    db.run_script(TABLES)
    db.execute_sql("INSERT INTO leases (name, epoch, until_ms) VALUES ('witnesses', 0, 0)")
