"""The catalogue that several processes share, and the lease of the one that builds it."""

import peewee

# Frozen copies of the tables as of this migration.


class CatalogueGeneration(peewee.Model):
    id = peewee.BigAutoField()
    expires_at_ms = peewee.BigIntegerField()
    slices = peewee.IntegerField()

    class Meta:
        table_name = "catalogue_generations"


class CatalogueSlice(peewee.Model):
    generation = peewee.ForeignKeyField(CatalogueGeneration, on_delete="CASCADE", index=False)
    number = peewee.IntegerField()
    content = peewee.BlobField()

    class Meta:
        table_name = "catalogue_slices"
        primary_key = peewee.CompositeKey("generation", "number")


def up(migrator, db):
    tables = (CatalogueGeneration, CatalogueSlice)
    with db.bind_ctx(tables):
        db.create_tables(tables, safe=False)
    db.execute_sql("INSERT INTO leases (name, epoch, until_ms) VALUES ('catalogue', 0, 0)")
