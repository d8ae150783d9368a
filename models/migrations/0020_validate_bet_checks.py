"""Validates the checks of bets that the last migration added. Players may bet meanwhile."""

import peewee

CONSTRAINTS = (
    "bets_wager_cents_check",
    "bets_algorithm_check",
    "bets_ticket_check",
    "bets_upgrader_1",
    "bets_openings",
    "bets_snapshot_id_fkey",
)


def up(migrator, db):
    if isinstance(db, peewee.SqliteDatabase):
        return
    for name in CONSTRAINTS:
        db.execute_sql(f"ALTER TABLE bets VALIDATE CONSTRAINT {name}")
