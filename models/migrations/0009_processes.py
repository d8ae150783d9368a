"""The tables of processes and of leases, with a row for each lease."""

TABLES = """
CREATE TABLE processes (
    id SERIAL NOT NULL PRIMARY KEY, address VARCHAR(300) NOT NULL,
    pool_size INTEGER NOT NULL CHECK (pool_size > 0), sockets INTEGER NOT NULL CHECK (sockets >= 0),
    lag_ms INTEGER NOT NULL CHECK (lag_ms >= 0), redis VARCHAR(4) NOT NULL, seen_at_ms BIGINT NOT NULL,
    settings VARCHAR(16) NOT NULL, untrusted_proxies BOOLEAN NOT NULL
);
CREATE TABLE leases (name VARCHAR(16) NOT NULL PRIMARY KEY, epoch BIGINT NOT NULL, until_ms BIGINT NOT NULL);
"""


LEASES = ("price refresh", "catalogue", "payout sending", "reconciliation", "alarms", "liabilities")


def up(migrator, db):
    db.run_script(TABLES)
    for name in LEASES:
        db.execute_sql(f"INSERT INTO leases (name, epoch, until_ms) VALUES ('{name}', 0, 0)")
