"""A passed deadline of a vault is not stored as a notification any more."""


def up(migrator, db):
    # The current deadlines of vaults: their notifications would be shown twice.
    db.execute_sql(
        "DELETE FROM notifications WHERE title = 'Vault unlockable' AND EXISTS ("
        "SELECT 1 FROM users"
        " WHERE users.id = notifications.user_id AND users.vault_deadline_ms = notifications.created_at_ms)"
    )
    db.execute_sql('DROP TABLE "vault_notices"')
