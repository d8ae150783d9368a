"""The audit trail. Both databases refuse to change or remove its events and seals."""

import peewee

from models.audit_triggers import create_triggers

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


def up(migrator, db):
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES, safe=False)
    create_triggers()
