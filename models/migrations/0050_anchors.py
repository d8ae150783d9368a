"""Anchors the audit trail in the public log, in place of its own log. The events from before are dropped."""

import peewee

EVENTS = """
DROP TABLE "audit_events";
CREATE TABLE "audit_events" ("id" {key} NOT NULL PRIMARY KEY, "at_ms" {number} NOT NULL,
"who" VARCHAR(128) NOT NULL, "what" VARCHAR(64) NOT NULL, "player" VARCHAR(80), "address" VARCHAR(64),
"before" TEXT, "after" TEXT, "salt" VARCHAR(32) NOT NULL, "digest" VARCHAR(64) NOT NULL, "number" {number});
CREATE UNIQUE INDEX "audit_events_number" ON "audit_events" ("number");
CREATE INDEX "audit_events_by_time" ON "audit_events" ("at_ms", "id");
CREATE INDEX "audit_events_by_who" ON "audit_events" ("who", "at_ms", "id");
CREATE INDEX "audit_events_by_player" ON "audit_events" ("player", "at_ms", "id");
CREATE INDEX "audit_events_by_what" ON "audit_events" ("what", "at_ms", "id");
CREATE INDEX "audit_events_by_staff" ON "audit_events" ("at_ms", "id") WHERE substr(who, 1, 6) = 'staff:';
CREATE INDEX "audit_events_of_logins" ON "audit_events" ("address", "player")
WHERE what = 'account.logged-in';
CREATE INDEX "audit_events_waiting" ON "audit_events" ("at_ms") WHERE ("number" IS NULL);
CREATE TABLE "audit_anchors" ("events" {number} NOT NULL PRIMARY KEY, "digest" VARCHAR(64) NOT NULL,
"at_ms" {number} NOT NULL);
DROP TABLE "audit_waiting_events";
DROP TABLE "audit_keys";
DELETE FROM audit_settings;
DELETE FROM log_tiles WHERE log_id = 'audit';
DELETE FROM log_bundles WHERE log_id = 'audit';
DELETE FROM log_checkpoints WHERE log_id = 'audit';
DELETE FROM log_entries WHERE log_id = 'audit';
DELETE FROM logs WHERE name = 'audit'
"""

CONTENT = "id, at_ms, who, what, player, address, before, after, salt, digest"
REPLACED = "WHEN EXISTS (SELECT 1 FROM"
SQLITE = {
    "audit_events_refuse_update": f"UPDATE OF {CONTENT} ON audit_events",
    "audit_events_refuse_delete": "DELETE ON audit_events",
    "audit_events_refuse_replace": (
        f"INSERT ON audit_events {REPLACED} audit_events WHERE id = NEW.id OR number = NEW.number)"
    ),
    "audit_events_refuse_renumber": (
        "UPDATE OF number ON audit_events WHEN OLD.number IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM audit_events WHERE number = NEW.number)"
    ),
    "audit_anchors_refuse_update": "UPDATE ON audit_anchors",
    "audit_anchors_refuse_delete": "DELETE ON audit_anchors",
    "audit_anchors_refuse_replace": (
        f"INSERT ON audit_anchors {REPLACED} audit_anchors WHERE events = NEW.events)"
    ),
}
POSTGRESQL = {
    "audit_events_refuse_change": (
        f"DELETE OR UPDATE OF {CONTENT} OR TRUNCATE ON audit_events FOR EACH STATEMENT"
    ),
    "audit_events_refuse_renumber": (
        "UPDATE OF number ON audit_events FOR EACH ROW WHEN (old.number IS NOT NULL)"
    ),
    "audit_anchors_refuse_change": "DELETE OR UPDATE OR TRUNCATE ON audit_anchors FOR EACH STATEMENT",
}


def up(migrator, db):
    if "audit_anchors" in db.get_tables():
        return
    is_sqlite = isinstance(db, peewee.SqliteDatabase)
    key, number = ("INTEGER", "INTEGER") if is_sqlite else ("BIGSERIAL", "BIGINT")
    for statement in EVENTS.format(key=key, number=number).split(";"):
        db.execute_sql(" ".join(statement.split()))
    for name, rule in (SQLITE if is_sqlite else POSTGRESQL).items():
        table = name.partition("_refuse_")[0]
        refusal = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        action = refusal if is_sqlite else "EXECUTE FUNCTION refuse_audit_change()"
        db.execute_sql(f"CREATE TRIGGER {name} BEFORE {rule} {action}")
