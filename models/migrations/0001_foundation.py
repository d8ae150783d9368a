"""Players, items, the ledger, bets and announced seeds."""

import peewee
from peewee import SQL, Check

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = peewee.BigAutoField()
    platform_id = peewee.CharField(max_length=80, unique=True)
    username = peewee.CharField(max_length=32)
    username_folded = peewee.CharField(max_length=32, unique=True)
    avatar = peewee.CharField(max_length=500, default="")
    registered_at_ms = peewee.BigIntegerField()

    balance_cents = peewee.BigIntegerField(default=0, constraints=[Check("balance_cents >= 0")])
    vault_cents = peewee.BigIntegerField(default=0, constraints=[Check("vault_cents >= 0")])
    sweepstake_cents = peewee.BigIntegerField(default=0, constraints=[Check("sweepstake_cents >= 0")])
    vault_deadline_ms = peewee.BigIntegerField(null=True)

    granted_experience = peewee.BigIntegerField(default=0, constraints=[Check("granted_experience >= 0")])
    wagered_cents = peewee.BigIntegerField(default=0, constraints=[Check("wagered_cents >= 0")])
    earned_cents = peewee.BigIntegerField(default=0, constraints=[Check("earned_cents >= 0")])

    client_seed = peewee.CharField(max_length=64, constraints=[Check("length(client_seed) BETWEEN 4 AND 64")])
    trade_url = peewee.CharField(max_length=500, default="")
    two_factor_enabled = peewee.BooleanField(default=False)
    affiliate_code = peewee.CharField(max_length=24, null=True, unique=True)
    used_affiliate_code = peewee.CharField(max_length=24, null=True)
    deposit_bonus = peewee.BooleanField(default=False)
    free_cases = peewee.IntegerField(default=0, constraints=[Check("free_cases >= 0")])

    class Meta:
        table_name = "users"


class AnnouncedSeed(Table):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    nonce = peewee.BigIntegerField(constraints=[Check("nonce >= 1")])
    server_seed_commitment = peewee.CharField(max_length=64, unique=True)
    sealed_server_seed = peewee.TextField()

    class Meta:
        table_name = "announced_seeds"


class Item(Table):
    id = peewee.BigAutoField()
    app_id = peewee.IntegerField(constraints=[Check("app_id IN (730, 252490)")])
    market_hash_name = peewee.CharField(max_length=200, unique=True)
    gun_name = peewee.CharField(max_length=200)
    skin_name = peewee.CharField(max_length=200)
    image = peewee.CharField(max_length=1000, default="")
    price_cents = peewee.BigIntegerField(null=True, constraints=[Check("price_cents >= 0")])
    custom_price = peewee.BooleanField(default=False)
    next_price_fetch_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "items"


class LedgerTransaction(Table):
    id = peewee.BigAutoField()
    kind = peewee.CharField(max_length=32)
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "ledger_transactions"


class LedgerEntry(Table):
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


LedgerEntry.add_index(
    LedgerEntry.index(
        LedgerEntry.user,
        LedgerEntry.account,
        LedgerEntry.amount_cents,
        name="ledger_entries_by_account",
    )
)


class Bet(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    game = peewee.CharField(max_length=16)
    nonce = peewee.BigIntegerField(constraints=[Check("nonce >= 1")])
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")

    wager_cents = peewee.BigIntegerField(constraints=[Check("wager_cents > 0")])
    payout_cents = peewee.BigIntegerField(constraints=[Check("payout_cents >= 0")])
    status = peewee.CharField(max_length=8, constraints=[Check("status IN ('won', 'lost')")])
    item = peewee.CharField(max_length=200)
    price_cents = peewee.BigIntegerField(constraints=[Check("price_cents > 0")])
    house_edge_ppm = peewee.IntegerField(constraints=[Check("house_edge_ppm BETWEEN 0 AND 999999")])
    threshold = peewee.IntegerField(constraints=[Check("threshold BETWEEN 1 AND 9999999")])
    roll = peewee.IntegerField(constraints=[Check("roll BETWEEN 0 AND 9999999")])

    client_seed = peewee.CharField(max_length=64)
    server_seed_commitment = peewee.CharField(max_length=64, unique=True)
    sealed_server_seed = peewee.TextField(null=True)
    server_seed = peewee.CharField(max_length=64, null=True)

    request_id = peewee.CharField(max_length=64, null=True)
    request_digest = peewee.CharField(max_length=64, null=True)

    created_at_ms = peewee.BigIntegerField()
    completed_at_ms = peewee.BigIntegerField()
    proof_delivered_at_ms = peewee.BigIntegerField(null=True)

    class Meta:
        table_name = "bets"
        indexes = (
            (("user", "nonce"), True),
            (("user", "request_id"), True),
        )
        constraints = [
            Check("(status = 'won') = (roll < threshold)"),
            Check("(status = 'won') = (payout_cents > 0)"),
            Check("price_cents > wager_cents"),
            Check("(server_seed IS NULL) <> (sealed_server_seed IS NULL)"),
            Check("completed_at_ms >= created_at_ms"),
        ]


Bet.add_index(Bet.index(Bet.completed_at_ms, Bet.id, name="bets_by_completion"))
Bet.add_index(
    Bet.index(
        Bet.user,
        Bet.nonce,
        name="bets_without_delivered_proof",
        where=SQL("proof_delivered_at_ms IS NULL"),
    )
)
Bet.add_index(Bet.index(Bet.completed_at_ms, name="bets_unrevealed", where=SQL("server_seed IS NULL")))


TABLES = (User, AnnouncedSeed, Item, LedgerTransaction, LedgerEntry, Bet)


def up(migrator, db):
    with db.bind_ctx(TABLES):
        db.create_tables(TABLES, safe=False)
