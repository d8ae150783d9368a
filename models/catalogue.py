"""The upgrader's catalogue as several processes share it. PostgreSQL only, with REDIS_URL."""

import peewee

from models.db.connection import Table


class CatalogueGeneration(Table):
    """A catalogue that one of the processes has built. The newest one counts."""

    id = peewee.BigAutoField()
    # By the database's clock.
    expires_at_ms = peewee.BigIntegerField()
    # How many slices it has.
    slices = peewee.IntegerField()

    class Meta:
        table_name = "catalogue_generations"


class CatalogueSlice(Table):
    """Some items of a generation: compressed lines of JSON, in order.

    A migration that changes their form deletes all generations.
    """

    # The primary key serves as its index.
    generation = peewee.ForeignKeyField(CatalogueGeneration, on_delete="CASCADE", index=False)
    number = peewee.IntegerField()
    content = peewee.BlobField()

    class Meta:
        table_name = "catalogue_slices"
        primary_key = peewee.CompositeKey("generation", "number")
