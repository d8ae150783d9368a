"""A lease for the price refresh, in place of the time until which a refresh runs."""

import peewee

# A frozen copy of the table as of this migration.


class Lease(peewee.Model):
    name = peewee.CharField(max_length=16, primary_key=True)
    epoch = peewee.BigIntegerField(default=0)
    until_ms = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "leases"


def up(migrator, db):
    with db.bind_ctx((Lease,)):
        db.create_tables((Lease,), safe=False)
        Lease.create(name="price refresh", force_insert=True)
    # A refresh that was interrupted by the upgrade is due again.
    db.execute_sql("UPDATE price_sources SET next_at_ms = 0 WHERE running_until_ms <> 0")
    db.execute_sql('ALTER TABLE "price_sources" DROP COLUMN "running_until_ms"')
