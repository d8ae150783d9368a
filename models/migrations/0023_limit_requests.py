"""Requests to raise or remove a player's limit."""

import peewee
from peewee import Check

# Frozen copies of the tables as of this migration.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "users"


class LimitRequest(Table):
    id = peewee.CharField(max_length=32, primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    kind = peewee.CharField(max_length=5, constraints=[Check("kind IN ('wager', 'loss')")])
    period = peewee.CharField(max_length=5, constraints=[Check("period IN ('day', 'week', 'month')")])
    value_cents = peewee.BigIntegerField(null=True, constraints=[Check("value_cents >= 0")])
    requested_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "limit_requests"
        indexes = ((("user", "kind", "period"), True),)


def up(migrator, db):
    with db.bind_ctx((User, LimitRequest)):
        db.create_tables([LimitRequest], safe=False)
