"""Affiliates: the owners of codes, and the players who used them."""

import peewee
from peewee import Check

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "users"


class LedgerTransaction(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "ledger_transactions"


class Affiliate(Table):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    claimed_cents = peewee.BigIntegerField(default=0, constraints=[Check("claimed_cents >= 0")])
    last_claimed_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "affiliates"


class Referral(Table):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    owner = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")
    used_at_ms = peewee.BigIntegerField()
    deposited_cents = peewee.BigIntegerField(default=0, constraints=[Check("deposited_cents >= 0")])
    withdrawn_cents = peewee.BigIntegerField(default=0, constraints=[Check("withdrawn_cents >= 0")])
    bonus_cents = peewee.BigIntegerField(default=0, constraints=[Check("bonus_cents >= 0")])

    class Meta:
        table_name = "referrals"
        constraints = [Check("owner_id <> user_id")]


Referral.add_index(Referral.index(Referral.owner, name="referrals_of_owner"))


TABLES = (Affiliate, Referral)


def up(migrator, db):
    with db.bind_ctx((User, LedgerTransaction, *TABLES)):
        db.create_tables(TABLES, safe=False)
