"""The tables of the audit trail, and triggers that refuse to change its events."""

import peewee

TABLES = """
CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "at_ms" BIGINT NOT NULL, "who" VARCHAR(128) NOT NULL,
    "what" VARCHAR(64) NOT NULL, "player" VARCHAR(80), "address" VARCHAR(64), "before" TEXT, "after" TEXT,
    "key_id" VARCHAR(16) NOT NULL, "mac" VARCHAR(64) NOT NULL
);
CREATE INDEX "audit_events_by_time" ON "audit_events" ("at_ms", "id");
CREATE INDEX "audit_events_by_who" ON "audit_events" ("who", "at_ms", "id");
CREATE INDEX "audit_events_by_player" ON "audit_events" ("player", "at_ms", "id");
CREATE INDEX "audit_events_by_what" ON "audit_events" ("what", "at_ms", "id");
CREATE INDEX "audit_events_by_staff" ON "audit_events" ("at_ms", "id") WHERE substr(who, 1, 6) = 'staff:';
CREATE INDEX "audit_events_of_logins" ON "audit_events" ("address", "player")
    WHERE what = 'account.logged-in';
CREATE TABLE "audit_waiting_events" ("event_id" BIGINT NOT NULL PRIMARY KEY);
CREATE TABLE "audit_keys" ("key_id" VARCHAR(16) NOT NULL PRIMARY KEY, "encrypted_key" TEXT NOT NULL);
CREATE TABLE "audit_settings" ("name" VARCHAR(64) NOT NULL PRIMARY KEY, "value" TEXT NOT NULL);
"""


SQLITE_TRIGGER = """
CREATE TRIGGER {name} BEFORE {event} ON audit_events {condition}
BEGIN SELECT RAISE(ABORT, 'audit_events is append-only'); END
"""
# INSERT OR REPLACE deletes rows without calling the triggers of a deletion.
SQLITE_TRIGGERS = (
    ("audit_events_refuse_update", "UPDATE", ""),
    ("audit_events_refuse_delete", "DELETE", ""),
    ("audit_events_refuse_replace", "INSERT", "WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id)"),
)
POSTGRES_TRIGGER = """
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
CREATE TRIGGER audit_events_refuse_change BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()
"""


def up(migrator, db):
    db.run_script(TABLES)
    if not isinstance(db, peewee.SqliteDatabase):
        db.execute_sql(POSTGRES_TRIGGER)
        return
    for name, event, condition in SQLITE_TRIGGERS:
        db.execute_sql(SQLITE_TRIGGER.format(name=name, event=event, condition=condition))
