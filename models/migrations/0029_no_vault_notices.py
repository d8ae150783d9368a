"""A passed deadline of a vault is not stored as a notification any more."""


def up(migrator, db):
    db.execute_sql('DROP TABLE "vault_notices"')
