"""Stores the shared catalogue as rows, and finds snapshots by their ids.

A database of 0.2.0 has the new table already, and lacks the old tables and the index.
"""

from models.catalogue import SharedItem


def up(migrator, db):
    for table in ("catalogue_slices", "catalogue_generations"):
        db.execute_sql(f"DROP TABLE IF EXISTS {table}")
    db.create_tables([SharedItem], safe=True)
    db.execute_sql("DROP INDEX IF EXISTS snapshots_hash")
