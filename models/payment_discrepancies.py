"""Differences between this platform and its payment providers that staff must look at."""

import peewee
from peewee import SQL

from models.db.connection import Table


class Discrepancy(Table):
    """One difference. The row stays when it is solved, and is opened again if the difference comes back."""

    id = peewee.BigAutoField()
    kind = peewee.CharField(max_length=32)
    # The id of our deposit, withdrawal or message where there is one, else the provider's.
    subject = peewee.CharField(max_length=128)
    ours = peewee.CharField(max_length=200)
    theirs = peewee.CharField(max_length=200)
    found_at_ms = peewee.BigIntegerField()
    solved_at_ms = peewee.BigIntegerField(null=True)
    # Staff have looked at it: the same difference is not reported again.
    is_dismissed = peewee.BooleanField(default=False)
    # The player and the address of what is not here. The latter is a personal detail.
    platform_id = peewee.CharField(max_length=80, null=True)
    address = peewee.CharField(max_length=256, null=True)

    class Meta:
        table_name = "payment_discrepancies"
        # Reported by several processes at once, it is one row.
        indexes = ((("kind", "subject"), True),)


Discrepancy.add_index(
    Discrepancy.index(Discrepancy.kind, name="payment_discrepancies_open", where=SQL("solved_at_ms IS NULL"))
)
