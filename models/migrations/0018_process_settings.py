"""A digest of the settings of each process."""


def up(migrator, db):
    db.execute_sql('ALTER TABLE "processes" ADD COLUMN "settings" VARCHAR(16) NOT NULL DEFAULT \'\'')
