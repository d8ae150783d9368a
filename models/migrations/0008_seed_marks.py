"""Marks by which a server recognises a restored database, and the epoch of each announced seed."""

import secrets

import peewee

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class SeedMark(Table):
    number = peewee.BigIntegerField(primary_key=True)
    token = peewee.CharField(max_length=32)
    epoch = peewee.BigIntegerField()

    class Meta:
        table_name = "seed_marks"


def up(migrator, db):
    with db.bind_ctx([SeedMark]):
        db.create_tables([SeedMark], safe=False)
        # Existing seeds get epoch 0, because they may have been revealed before a restore.
        SeedMark.create(number=1, token=secrets.token_hex(16), epoch=1, force_insert=True)
    kind = "INTEGER" if isinstance(db, peewee.SqliteDatabase) else "BIGINT"
    db.execute_sql(f'ALTER TABLE "announced_seeds" ADD COLUMN "epoch" {kind} NOT NULL DEFAULT 0')
