"""Adds the player and the address to findings of payments."""


def up(migrator, db):
    present = {column.name for column in db.get_columns("payment_findings")}
    for column, length in (("platform_id", 80), ("address", 256)):
        if column not in present:
            db.execute_sql(f'ALTER TABLE "payment_findings" ADD COLUMN "{column}" VARCHAR({length})')
