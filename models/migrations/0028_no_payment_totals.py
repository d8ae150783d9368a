"""The totals of payments are summed from the payments, which are found by one index."""

INDEXES = ("by_type", "highest", "lowest", "by_type_highest", "by_type_lowest")


def up(migrator, db):
    db.execute_sql('DROP TABLE "payment_totals"')
    for name in INDEXES:
        db.execute_sql(f'DROP INDEX "payments_of_player_{name}"')
