"""Until when one process alone sends a proof."""

import peewee


def up(migrator, db):
    kind = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    db.execute_sql(f'ALTER TABLE "bets" ADD COLUMN "proof_held_until_ms" {kind}')
