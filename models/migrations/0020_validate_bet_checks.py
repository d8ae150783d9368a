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
    # In one statement, which reads the table once for all checks.
    db.execute_sql("ALTER TABLE bets " + ", ".join(f"VALIDATE CONSTRAINT {name}" for name in CONSTRAINTS))
