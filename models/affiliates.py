"""Players who brought others, and those they brought."""

import peewee
from peewee import Check

from models.database import Table
from models.ledger import LedgerTransaction
from models.users import User


class Affiliate(Table):
    """The owner of a code, which is ``User.affiliate_code``: what they have taken of their earnings."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    claimed_cents = peewee.BigIntegerField(default=0, constraints=[Check("claimed_cents >= 0")])
    last_claimed_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "affiliates"


class Referral(Table):
    """A player who used another's code, with the sums of what counts for its owner since then.

    The sums are kept by the transactions that move the coins. What they sum up stays where it is: the
    player's payments and bonuses whose ledger transaction is not before this one's. Transactions of one
    player are numbered while the player's row is locked, so their numbers are the order they happened in.
    """

    # One row a player: whoever comes second with another code finds the place taken.
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    owner = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    # The bonus for using the code.
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    used_at_ms = peewee.BigIntegerField()
    deposited_cents = peewee.BigIntegerField(default=0, constraints=[Check("deposited_cents >= 0")])
    withdrawn_cents = peewee.BigIntegerField(default=0, constraints=[Check("withdrawn_cents >= 0")])
    bonus_cents = peewee.BigIntegerField(default=0, constraints=[Check("bonus_cents >= 0")])

    class Meta:
        table_name = "referrals"
        constraints = [Check("owner_id <> user_id")]


# All that an owner's code has brought: the statistics and the overview.
Referral.add_index(Referral.index(Referral.owner, name="referrals_of_owner"))
