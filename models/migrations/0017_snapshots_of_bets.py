"""Deletes the snapshots that no bet refers to, and what kept and deleted them.

Ids are the first 60 bits of the hash. Before 0014 they were consecutive numbers.
"""

UNUSED = """
DELETE FROM snapshots WHERE NOT EXISTS (SELECT 1 FROM bets WHERE bets.snapshot_id = snapshots.id)
"""
# Not if the content was opened again since, with its new id.
COPY = """
INSERT INTO snapshots (id, hash, content, shown_at_ms, is_opened)
SELECT {new}, hash, content, shown_at_ms, is_opened FROM snapshots AS numbered
WHERE id = {old} AND NOT EXISTS (SELECT 1 FROM snapshots WHERE id = {new})
"""


def up(migrator, db):
    # A database of 0.2.0 gets the new table at once.
    if "is_opened" not in {column.name for column in db.get_columns("snapshots")}:
        return
    db.execute_sql(UNUSED)
    for old, hash_ in db.execute_sql("SELECT id, hash FROM snapshots").fetchall():
        new = int(hash_[:15], 16)
        if new != old:
            db.execute_sql(COPY.format(old=old, new=new))
            db.execute_sql(f"UPDATE bets SET snapshot_id = {new} WHERE snapshot_id = {old}")  # noqa: S608  # ids
            db.execute_sql(f"DELETE FROM snapshots WHERE id = {old}")  # noqa: S608  # an id
    # The index finds the bets of a snapshot that is deleted, and none is deleted from now on.
    for index in ("bets_of_snapshot", "snapshots_not_opened"):
        db.execute_sql(f"DROP INDEX IF EXISTS {index}")
    for column in ("shown_at_ms", "is_opened"):
        db.execute_sql(f"ALTER TABLE snapshots DROP COLUMN {column}")
