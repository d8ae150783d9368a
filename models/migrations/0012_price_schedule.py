"""One time of the next refresh for each price source instead of three; no validators of the last document.

The state of the sources is reset, so the feed is fetched once more.
"""

import peewee
from peewee import Check

# A frozen copy of the table as of this migration.


class PriceSource(peewee.Model):
    name = peewee.CharField(max_length=8, primary_key=True)
    next_at_ms = peewee.BigIntegerField(default=0)
    running_until_ms = peewee.BigIntegerField(default=0)
    succeeded_at_ms = peewee.BigIntegerField(null=True)
    failures = peewee.IntegerField(default=0, constraints=[Check("failures >= 0")])

    class Meta:
        table_name = "price_sources"


def up(migrator, db):
    db.execute_sql('DROP INDEX "items_waiting_for_feed"')
    db.execute_sql('DROP TABLE "price_sources"')
    with db.bind_ctx((PriceSource,)):
        db.create_tables((PriceSource,), safe=False)
        PriceSource.insert_many([{"name": "feed"}, {"name": "market"}]).execute()
