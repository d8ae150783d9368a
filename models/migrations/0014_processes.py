"""The processes that serve, each with a row of its own that it renews."""

import peewee
from peewee import Check

# A frozen copy of the table as of this migration.


class Process(peewee.Model):
    id = peewee.AutoField()
    address = peewee.CharField(max_length=300)
    pool_size = peewee.IntegerField(constraints=[Check("pool_size > 0")])
    sockets = peewee.IntegerField(default=0, constraints=[Check("sockets >= 0")])
    lag_ms = peewee.IntegerField(default=0, constraints=[Check("lag_ms >= 0")])
    redis = peewee.CharField(max_length=4)
    seen_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "processes"


def up(migrator, db):
    with db.bind_ctx((Process,)):
        db.create_tables((Process,), safe=False)
