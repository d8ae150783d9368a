"""Replaces the seals of the audit trail by a log.

All events wait for the log, also those whose rows are missing: verification reports these. The first entry of
the log says how many seals there were, the last one, and how many do not follow the one before.
"""

import json
import time

COUNTS = """
SELECT COUNT(*), (SELECT seal FROM audit_seals ORDER BY number DESC LIMIT 1), (
    SELECT COUNT(*) FROM audit_seals AS seals WHERE number > 1 AND NOT EXISTS (
        SELECT 1 FROM audit_seals AS earlier
        WHERE earlier.number = seals.number - 1 AND earlier.seal = seals.previous_seal
    )
) FROM audit_seals
"""
# Of a tree without entries: the SHA-256 of nothing.
EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def up(migrator, db):
    if "audit_seals" not in db.get_tables():
        return
    kind = "BIGINT" if db.param == "%s" else "INTEGER"
    db.execute_sql(f'CREATE TABLE "audit_waiting_events" ("event_id" {kind} NOT NULL PRIMARY KEY)')
    db.execute_sql(
        "INSERT INTO audit_waiting_events (event_id)"
        " SELECT event_id FROM audit_seals UNION SELECT event_id FROM audit_unsealed"
    )
    (seals, last_seal, breaks) = db.execute_sql(COUNTS).fetchone()
    entry = {"at": int(time.time() * 1000), "breaks": breaks, "lastSeal": last_seal, "seals": seals, "v": 1}
    first_entry = json.dumps(entry, separators=(",", ":")) if seals else None
    db.execute_sql(
        "INSERT INTO logs (name, origin, size, checkpoint, epoch, confirmations, announced_key, first_entry)"  # noqa: S608
        f" VALUES ('audit', '', 0, '', 1, 0, '', {db.param})",
        (first_entry,),
    )
    db.execute_sql(
        "INSERT INTO log_checkpoints (log_id, size, root, signed_at_ms)"  # noqa: S608  # constants
        f" VALUES ('audit', 0, '{EMPTY_ROOT}', 0)"
    )
    db.execute_sql("DROP TABLE audit_seals")
    db.execute_sql("DROP TABLE audit_unsealed")
