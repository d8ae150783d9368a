"""The table of logins, with the one from which each account was made."""

# Ids that begin with 9 were drawn for accounts that an operator made. Nobody logs in to those.
TABLES = """
CREATE TABLE logins (
    id VARCHAR(80) NOT NULL PRIMARY KEY, provider VARCHAR(8) NOT NULL
    CHECK (provider IN ('platform', 'identity')),
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, linked_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX logins_user_id_provider ON logins (user_id, provider);
INSERT INTO logins (id, provider, user_id, linked_at_ms)
    SELECT platform_id, CASE substr(platform_id, 1, 3) WHEN 'id-' THEN 'identity' ELSE 'platform' END, id,
        registered_at_ms
    FROM users WHERE substr(platform_id, 1, 1) <> '9';
"""


def up(migrator, db):
    db.run_script(TABLES)
