"""Drops the sums of referrals: payments are summed when they are shown."""


def up(migrator, db):
    stored = {column.name for column in db.get_columns("referrals")}
    for column in stored & {"deposited_cents", "withdrawn_cents"}:
        db.execute_sql(f"ALTER TABLE referrals DROP COLUMN {column}")
