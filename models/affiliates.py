"""Owners of promo codes, and the players who used them."""

import peewee
from peewee import Check

from models.db.connection import Table
from models.ledger import LedgerTransaction
from models.users import User


class Affiliate(Table):
    """The earnings that the owner of a code (``User.affiliate_code``) has claimed."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    claimed_cents = peewee.BigIntegerField(default=0, constraints=[Check("claimed_cents >= 0")])
    last_claimed_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "affiliates"


class Referral(Table):
    """A player who used another player's code, with the sums of their payments since then.

    Each payment adds to the sums in its own transaction. Payments and bonuses count from this ledger
    transaction on. The ids of a player's transactions are in order, because the player's row is locked when
    they are drawn.
    """

    # The primary key allows one code for each player.
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    owner = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    # The bonus for using the code.
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    used_at_ms = peewee.BigIntegerField()
    deposited_cents = peewee.BigIntegerField(default=0, constraints=[Check("deposited_cents >= 0")])
    withdrawn_cents = peewee.BigIntegerField(default=0, constraints=[Check("withdrawn_cents >= 0")])
    bonus_cents = peewee.BigIntegerField(default=0, constraints=[Check("bonus_cents >= 0")])
    # The player's theoretical loss when the code was used. Only what is more than this counts.
    theoretical_loss_before_ucents = peewee.BigIntegerField(default=0)

    class Meta:
        table_name = "referrals"
        constraints = [Check("owner_id <> user_id")]


# For the statistics and the overview of an owner.
Referral.add_index(Referral.index(Referral.owner, name="referrals_of_owner"))
