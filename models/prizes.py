"""Prizes: the real-life items that players have won."""

import peewee
from peewee import SQL, Check

from models.bets import Bet
from models.db.connection import Table
from models.users import User


class Prize(Table):
    """An item of an opened case, with its name, image and value of that time.

    ``status`` goes from ``kept`` to ``sold``, or to ``shipping`` and then ``shipped``. Each step is one
    update guarded by the status, in the transaction that posts the value to the ledger.
    """

    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    bet = peewee.ForeignKeyField(Bet, unique=True, on_delete="RESTRICT")
    name = peewee.CharField(max_length=200)
    # As in models/cases.py.
    image = peewee.CharField(max_length=1000)
    value_cents = peewee.BigIntegerField(constraints=[Check("value_cents >= 0")])
    status = peewee.CharField(
        max_length=8, constraints=[Check("status IN ('kept', 'sold', 'shipping', 'shipped')")]
    )
    won_at_ms = peewee.BigIntegerField()
    # Encrypted; a copy of the player's address from when shipping was requested, as JSON.
    encrypted_address = peewee.TextField(null=True)
    # How the parcel can be followed, as staff wrote it.
    tracking = peewee.CharField(max_length=200, null=True)

    class Meta:
        table_name = "prizes"
        constraints = [
            Check("(status IN ('shipping', 'shipped')) = (encrypted_address IS NOT NULL)", "prizes_address")
        ]


IS_TO_SHIP = SQL("status = 'shipping'")
"""With a literal, so that the partial index matches."""

# A player's prizes, newest first.
Prize.add_index(Prize.index(Prize.user, Prize.id, name="prizes_of_player"))
# The prizes to ship, oldest first.
Prize.add_index(Prize.index(Prize.id, name="prizes_to_ship", where=IS_TO_SHIP))
