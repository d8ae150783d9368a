"""Both databases deliver proofs by claims: models/proof_queries.py.

Proofs that one process has revealed and nobody has confirmed are released. The bets that no process has
claimed have an index, in place of those that are not revealed. A database of 0.2.0 has that one already.
"""


def up(migrator, db):
    db.execute_sql(
        "UPDATE bets SET proof_held_by = 0"
        " WHERE proof_held_by IS NULL AND proof_delivered_at_ms IS NULL AND server_seed IS NOT NULL"
    )
    db.execute_sql("DROP INDEX IF EXISTS bets_unrevealed")
    db.execute_sql(
        'CREATE INDEX IF NOT EXISTS "bets_unclaimed" ON "bets" ("completed_at_ms")'
        " WHERE proof_held_by IS NULL AND proof_delivered_at_ms IS NULL"
    )
