"""Adds the payment that a message has recorded, and an index of payments by their transactions.

Removes the ids of pull payments from stored messages: whoever has one sees the addresses of all payouts.
"""

import re

import peewee

PULL_PAYMENT = re.compile(r'("pullPaymentId"\s*:\s*)"(?:[^"\\]|\\.)*"')
ROWS = 1000
INDEXES = (
    (
        'CREATE INDEX IF NOT EXISTS "webhook_deliveries_payment" ON "webhook_deliveries" ("payment_id")'
        " WHERE payment_id IS NOT NULL"
    ),
    'CREATE INDEX IF NOT EXISTS "payments_by_transaction" ON "payments" (substr(transfer_key, 1, 64))',
)
CHANGE = "UPDATE webhook_deliveries SET body = {0} WHERE id = {0}"
FIND = "SELECT id, body FROM webhook_deliveries WHERE id > {0} AND body LIKE {0} ORDER BY id LIMIT {0}"


def up(migrator, db):
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    if "payment_id" not in {column.name for column in db.get_columns("webhook_deliveries")}:
        integer = "INTEGER" if is_sqlite else "BIGINT"
        db.execute_sql(f'ALTER TABLE "webhook_deliveries" ADD COLUMN "payment_id" {integer}')
    for index in INDEXES:
        db.execute_sql(index)
    remove_pull_payments(db, "?" if is_sqlite else "%s")


def remove_pull_payments(db, mark):
    last = 0
    while rows := db.execute_sql(FIND.format(mark), (last, "%pullPaymentId%", ROWS)).fetchall():
        for id_, body in rows:
            db.execute_sql(CHANGE.format(mark), (PULL_PAYMENT.sub(r"\1null", body), id_))
        last = rows[-1][0]
