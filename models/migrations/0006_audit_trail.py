"""The tables of the audit trail, and triggers that refuse to change its events and anchors."""

import peewee

TABLES = """
CREATE TABLE "audit_events" (
    "id" BIGSERIAL NOT NULL PRIMARY KEY, "at_ms" BIGINT NOT NULL, "who" VARCHAR(128) NOT NULL,
    "what" VARCHAR(64) NOT NULL, "player" VARCHAR(80), "address" VARCHAR(64), "before" TEXT, "after" TEXT,
    "salt" VARCHAR(32) NOT NULL, "digest" VARCHAR(64) NOT NULL, "number" BIGINT,
    "erased_by" BIGINT
);
CREATE UNIQUE INDEX "audit_events_number" ON "audit_events" ("number");
CREATE INDEX "audit_events_by_time" ON "audit_events" ("at_ms", "id");
CREATE INDEX "audit_events_by_who" ON "audit_events" ("who", "at_ms", "id");
CREATE INDEX "audit_events_by_player" ON "audit_events" ("player", "at_ms", "id");
CREATE INDEX "audit_events_by_what" ON "audit_events" ("what", "at_ms", "id");
CREATE INDEX "audit_events_by_staff" ON "audit_events" ("at_ms", "id") WHERE substr(who, 1, 6) = 'staff:';
CREATE INDEX "audit_events_of_logins" ON "audit_events" ("address", "player")
    WHERE what = 'account.logged-in';
CREATE INDEX "audit_events_erased" ON "audit_events" ("erased_by", "id") WHERE ("erased_by" IS NOT NULL);
CREATE INDEX "audit_events_waiting" ON "audit_events" ("at_ms") WHERE ("number" IS NULL);
CREATE TABLE "audit_anchors" (
    "events" BIGINT NOT NULL PRIMARY KEY, "digest" VARCHAR(64) NOT NULL, "at_ms" BIGINT NOT NULL
);
CREATE TABLE "audit_settings" ("name" VARCHAR(64) NOT NULL PRIMARY KEY, "value" TEXT NOT NULL);
"""

CONTENT = "id, at_ms, who, what, player, address, before, after, salt, digest"

# An update is not the one that erases an event, and keeps what the chain of digests needs.
NO_ERASURE = (
    "old.erased_by IS NOT NULL OR new.erased_by IS NULL OR new.salt::text <> ''::text"
    " OR new.address IS NOT NULL OR new.id <> old.id OR new.at_ms <> old.at_ms"
    " OR new.what::text <> old.what::text OR new.digest::text <> old.digest::text"
)

# INSERT OR REPLACE deletes rows without calling the triggers of a deletion.
SQLITE_TRIGGERS = {
    "audit_events_refuse_update": (
        f"UPDATE OF {CONTENT}, erased_by ON audit_events WHEN {NO_ERASURE.replace('::text', '')}"
    ),
    "audit_events_refuse_delete": "DELETE ON audit_events",
    "audit_events_refuse_replace": (
        "INSERT ON audit_events"
        " WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id OR number = NEW.number)"
    ),
    "audit_events_refuse_renumber": (
        "UPDATE OF number ON audit_events WHEN OLD.number IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM audit_events WHERE number = NEW.number)"
    ),
    "audit_anchors_refuse_update": "UPDATE ON audit_anchors",
    "audit_anchors_refuse_delete": "DELETE ON audit_anchors",
    "audit_anchors_refuse_replace": (
        "INSERT ON audit_anchors WHEN EXISTS (SELECT 1 FROM audit_anchors WHERE events = NEW.events)"
    ),
}
POSTGRES_FUNCTION = """
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""
POSTGRES_TRIGGERS = {
    "audit_events_refuse_change": "DELETE OR TRUNCATE ON audit_events FOR EACH STATEMENT",
    "audit_events_refuse_update": (
        f"UPDATE OF {CONTENT}, erased_by ON audit_events FOR EACH ROW WHEN ({NO_ERASURE})"
    ),
    "audit_events_refuse_renumber": (
        "UPDATE OF number ON audit_events FOR EACH ROW WHEN (old.number IS NOT NULL)"
    ),
    "audit_anchors_refuse_change": "DELETE OR UPDATE OR TRUNCATE ON audit_anchors FOR EACH STATEMENT",
}


def up(migrator, db):
    db.run_script(TABLES)
    if isinstance(db, peewee.SqliteDatabase):
        for name, rule in SQLITE_TRIGGERS.items():
            table = name.partition("_refuse_")[0]
            refusal = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            db.execute_sql(f"CREATE TRIGGER {name} BEFORE {rule} {refusal}")
        return
    db.execute_sql(POSTGRES_FUNCTION)
    for name, rule in POSTGRES_TRIGGERS.items():
        db.execute_sql(f"CREATE TRIGGER {name} BEFORE {rule} EXECUTE FUNCTION refuse_audit_change()")
