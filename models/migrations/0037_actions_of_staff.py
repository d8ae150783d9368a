"""Adds the indexes of what staff have done: their events, and changes of balances by one person."""


def up(migrator, db):
    db.execute_sql(
        'CREATE INDEX IF NOT EXISTS "audit_events_by_staff" ON "audit_events" ("at_ms", "id")'
        " WHERE substr(who, 1, 6) = 'staff:'"
    )
    db.execute_sql(
        'CREATE INDEX IF NOT EXISTS "proposals_performed" ON "proposals" ("decided_at_ms")'
        " WHERE status = 'performed'"
    )
