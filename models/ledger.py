"""The double-entry ledger, whose rows never change, and promo codes with the sums of who used them."""

import peewee
from peewee import SQL, Check

from models.db.connection import Table
from models.users import User


class LedgerTransaction(Table):
    """One change of balances; its entries sum to zero."""

    id = peewee.BigAutoField()
    kind = peewee.CharField(max_length=32)
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "ledger_transactions"


class LedgerEntry(Table):
    """The amount that a transaction adds to an account, or takes from it if negative.

    A player's accounts are ``balance``, ``vault`` and ``sweepstake``. Those of the house begin with
    ``house.`` and have no user.
    """

    id = peewee.BigAutoField()
    transaction = peewee.ForeignKeyField(LedgerTransaction, backref="entries", on_delete="RESTRICT")
    account = peewee.CharField(max_length=32)
    user = peewee.ForeignKeyField(User, null=True, on_delete="RESTRICT", index=False)
    amount_cents = peewee.BigIntegerField(constraints=[Check("amount_cents <> 0")])

    class Meta:
        table_name = "ledger_entries"
        constraints = [
            Check(
                "(user_id IS NOT NULL AND account IN ('balance', 'vault', 'sweepstake'))"
                " OR (user_id IS NULL AND substr(account, 1, 6) = 'house.')"
            )
        ]
        indexes = (
            # A player's entries, newest first, and the audit's sums of players, from the index alone. An
            # entry is in one of these two indexes.
            SQL(
                "CREATE INDEX ledger_entries_of_player ON ledger_entries (user_id, id, account, amount_cents)"
                " WHERE user_id IS NOT NULL"
            ),
            # The sums of the house's accounts, from the index alone.
            SQL(
                "CREATE INDEX ledger_entries_of_house ON ledger_entries (account, amount_cents)"
                " WHERE user_id IS NULL"
            ),
        )


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
        indexes = (SQL("CREATE INDEX referrals_of_owner ON referrals (owner_id)"),)
