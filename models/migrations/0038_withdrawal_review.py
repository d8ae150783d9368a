"""Adds why a withdrawal was not approved automatically."""


def up(migrator, db):
    if "review_reason" not in {column.name for column in db.get_columns("withdrawals")}:
        db.execute_sql('ALTER TABLE "withdrawals" ADD COLUMN "review_reason" VARCHAR(200)')
