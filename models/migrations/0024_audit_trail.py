"""The audit trail. Both databases refuse to change or remove its events and seals."""

import peewee

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class AuditEvent(Table):
    id = peewee.BigAutoField()
    at_ms = peewee.BigIntegerField()
    who = peewee.CharField(max_length=128)
    what = peewee.CharField(max_length=64)
    player = peewee.CharField(max_length=80, null=True)
    address = peewee.CharField(max_length=64, null=True)
    before = peewee.TextField(null=True)
    after = peewee.TextField(null=True)
    key_id = peewee.CharField(max_length=16)
    mac = peewee.CharField(max_length=64)

    class Meta:
        table_name = "audit_events"


class UnsealedEvent(Table):
    event_id = peewee.BigIntegerField(primary_key=True)

    class Meta:
        table_name = "audit_unsealed"


class AuditSeal(Table):
    number = peewee.BigIntegerField(primary_key=True)
    event_id = peewee.BigIntegerField(unique=True)
    previous_event_id = peewee.BigIntegerField(null=True)
    previous_seal = peewee.CharField(max_length=64)
    key_id = peewee.CharField(max_length=16)
    seal = peewee.CharField(max_length=64)

    class Meta:
        table_name = "audit_seals"


class AuditKey(Table):
    key_id = peewee.CharField(max_length=16, primary_key=True)
    sealed_key = peewee.TextField()

    class Meta:
        table_name = "audit_keys"


class KnownSetting(Table):
    name = peewee.CharField(max_length=64, primary_key=True)
    value = peewee.TextField()

    class Meta:
        table_name = "audit_settings"


TABLES = (AuditEvent, UnsealedEvent, AuditSeal, AuditKey, KnownSetting)

# The unique columns of each append-only table. SQLite's INSERT OR REPLACE deletes rows without calling the
# triggers of a deletion.
APPEND_ONLY = {"audit_events": ("id",), "audit_seals": ("number", "event_id")}

SQLITE_TRIGGER = """
CREATE TRIGGER {table}_refuse_{name} BEFORE {event} ON {table} {condition}
BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END
"""

POSTGRES_FUNCTION = """
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$
"""

POSTGRES_TRIGGER = """
CREATE TRIGGER {table}_refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()
"""


def up(migrator, db):
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES, safe=False)
    if isinstance(db, peewee.SqliteDatabase):
        for table, unique in APPEND_ONLY.items():
            _refuse_on_sqlite(db, table, unique)
    else:
        db.execute_sql(POSTGRES_FUNCTION)
        for table in APPEND_ONLY:
            db.execute_sql(POSTGRES_TRIGGER.format(table=table))


def _refuse_on_sqlite(db, table, unique):
    same = " OR ".join(f"{column} = NEW.{column}" for column in unique)
    replaces = f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same})"  # noqa: S608  # names of our own
    for name, event, condition in (
        ("update", "UPDATE", ""),
        ("delete", "DELETE", ""),
        ("replace", "INSERT", replaces),
    ):
        db.execute_sql(SQLITE_TRIGGER.format(table=table, name=name, event=event, condition=condition))
