"""Bets of several games: openings of cases, their snapshots and prizes, and how often cases were opened.

On PostgreSQL the checks of old bets are validated by the next migration, without blocking the table.
"""

import re

import peewee
from peewee import SQL, Check

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


class Snapshot(Table):
    id = peewee.BigAutoField()
    hash = peewee.CharField(max_length=64, unique=True, constraints=[Check("length(hash) = 64")])
    content = peewee.TextField()
    shown_at_ms = peewee.BigIntegerField()
    is_opened = peewee.BooleanField(default=False)

    class Meta:
        table_name = "snapshots"


Snapshot.add_index(
    Snapshot.index(Snapshot.shown_at_ms, name="snapshots_not_opened", where=SQL("NOT is_opened"))
)


UPGRADER_1 = """
    algorithm <> 'upgrader-1' OR (
        price_cents IS NOT NULL AND house_edge_ppm IS NOT NULL AND threshold IS NOT NULL AND roll IS NOT NULL
        AND snapshot_id IS NULL AND ticket IS NULL AND wager_cents > 0 AND price_cents > wager_cents
        AND (status = 'won') = (roll < threshold) AND (status = 'won') = (payout_cents > 0)
    )
"""
OPENINGS = """
    algorithm NOT IN ('case-1', 'irl-1') OR (
        snapshot_id IS NOT NULL AND ticket IS NOT NULL
        AND price_cents IS NULL AND house_edge_ppm IS NULL AND threshold IS NULL AND roll IS NULL
        AND (status = 'won') = (payout_cents > wager_cents)
    )
"""
HIGH_ROLL = SQL("(wager_cents >= 5000 OR (wager_cents > 0 AND payout_cents >= 10 * wager_cents))")


class Bet(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    game = peewee.CharField(max_length=16)
    nonce = peewee.BigIntegerField(constraints=[Check("nonce >= 1")])
    ledger_transaction = peewee.ForeignKeyField(LedgerTransaction, unique=True, on_delete="RESTRICT")

    algorithm = peewee.CharField(
        max_length=16, constraints=[Check("algorithm IN ('upgrader-1', 'case-1', 'irl-1')")]
    )
    wager_cents = peewee.BigIntegerField(constraints=[Check("wager_cents >= 0")])
    payout_cents = peewee.BigIntegerField(constraints=[Check("payout_cents >= 0")])
    status = peewee.CharField(max_length=8, constraints=[Check("status IN ('won', 'lost')")])
    item = peewee.CharField(max_length=200)

    price_cents = peewee.BigIntegerField(null=True, constraints=[Check("price_cents > 0")])
    house_edge_ppm = peewee.IntegerField(
        null=True, constraints=[Check("house_edge_ppm BETWEEN 0 AND 999999")]
    )
    threshold = peewee.IntegerField(null=True, constraints=[Check("threshold BETWEEN 1 AND 9999999")])
    roll = peewee.IntegerField(null=True, constraints=[Check("roll BETWEEN 0 AND 9999999")])

    snapshot = peewee.ForeignKeyField(Snapshot, null=True, on_delete="RESTRICT", index=False)
    ticket = peewee.BigIntegerField(null=True, constraints=[Check("ticket BETWEEN 0 AND 999999999999999999")])

    client_seed = peewee.CharField(max_length=64)
    server_seed_commitment = peewee.CharField(max_length=64, unique=True)
    sealed_server_seed = peewee.TextField(null=True)
    server_seed = peewee.CharField(max_length=64, null=True)

    request_id = peewee.CharField(max_length=64, null=True)
    request_digest = peewee.CharField(max_length=64, null=True)

    created_at_ms = peewee.BigIntegerField()
    completed_at_ms = peewee.BigIntegerField()
    proof_delivered_at_ms = peewee.BigIntegerField(null=True)
    proof_held_by = peewee.IntegerField(null=True)

    class Meta:
        table_name = "bets"
        indexes = (
            (("user", "nonce"), True),
            (("user", "request_id"), True),
        )
        constraints = [
            Check(UPGRADER_1, "bets_upgrader_1"),
            Check(OPENINGS, "bets_openings"),
            Check("(server_seed IS NULL) <> (sealed_server_seed IS NULL)", "bets_one_seed"),
            Check("completed_at_ms >= created_at_ms", "bets_completion"),
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
Bet.add_index(Bet.index(Bet.completed_at_ms, Bet.id, name="bets_high_rolls", where=HIGH_ROLL))
Bet.add_index(
    Bet.index(
        Bet.user, Bet.payout_cents.desc(), Bet.nonce.desc(), Bet.game, name="bets_of_player_most_earned"
    )
)
Bet.add_index(
    Bet.index(Bet.user, Bet.payout_cents, Bet.nonce.desc(), Bet.game, name="bets_of_player_least_earned")
)
Bet.add_index(Bet.index(Bet.snapshot, name="bets_of_snapshot", where=SQL("snapshot_id IS NOT NULL")))


class Prize(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    bet = peewee.ForeignKeyField(Bet, unique=True, on_delete="RESTRICT")
    name = peewee.CharField(max_length=200)
    image = peewee.CharField(max_length=1000)
    value_cents = peewee.BigIntegerField(constraints=[Check("value_cents >= 0")])
    status = peewee.CharField(
        max_length=8, constraints=[Check("status IN ('kept', 'sold', 'shipping', 'shipped')")]
    )
    won_at_ms = peewee.BigIntegerField()
    sealed_address = peewee.TextField(null=True)

    class Meta:
        table_name = "prizes"
        constraints = [
            Check("(status IN ('shipping', 'shipped')) = (sealed_address IS NOT NULL)", "prizes_address")
        ]


Prize.add_index(Prize.index(Prize.user, Prize.id, name="prizes_of_player"))
Prize.add_index(Prize.index(Prize.id, name="prizes_to_ship", where=SQL("status = 'shipping'")))


class CaseSpins(Table):
    game = peewee.CharField(max_length=16, constraints=[Check("game IN ('case', 'irl')")])
    case_id = peewee.BigIntegerField()
    shard = peewee.IntegerField(constraints=[Check("shard BETWEEN 0 AND 63")])
    spins = peewee.BigIntegerField(constraints=[Check("spins >= 1")])

    class Meta:
        table_name = "case_spins"
        primary_key = peewee.CompositeKey("game", "case_id", "shard")


ONE_LINE = re.compile(r"\s+")

BETS_OF_POSTGRESQL = f"""
    ALTER TABLE bets
        ADD COLUMN algorithm VARCHAR(16) NOT NULL DEFAULT 'upgrader-1',
        ADD COLUMN snapshot_id BIGINT,
        ADD COLUMN ticket BIGINT,
        ALTER COLUMN price_cents DROP NOT NULL,
        ALTER COLUMN house_edge_ppm DROP NOT NULL,
        ALTER COLUMN threshold DROP NOT NULL,
        ALTER COLUMN roll DROP NOT NULL,
        DROP CONSTRAINT bets_wager_cents_check,
        DROP CONSTRAINT bets_check,
        DROP CONSTRAINT bets_check1,
        DROP CONSTRAINT bets_check2;
    ALTER TABLE bets RENAME CONSTRAINT bets_check3 TO bets_one_seed;
    ALTER TABLE bets RENAME CONSTRAINT bets_check4 TO bets_completion;
    ALTER TABLE bets
        ALTER COLUMN algorithm DROP DEFAULT,
        ADD CONSTRAINT bets_wager_cents_check CHECK (wager_cents >= 0) NOT VALID,
        ADD CONSTRAINT bets_algorithm_check
            CHECK (algorithm IN ('upgrader-1', 'case-1', 'irl-1')) NOT VALID,
        ADD CONSTRAINT bets_ticket_check CHECK (ticket BETWEEN 0 AND 999999999999999999) NOT VALID,
        ADD CONSTRAINT bets_upgrader_1 CHECK ({UPGRADER_1}) NOT VALID,
        ADD CONSTRAINT bets_openings CHECK ({OPENINGS}) NOT VALID,
        ADD CONSTRAINT bets_snapshot_id_fkey
            FOREIGN KEY (snapshot_id) REFERENCES snapshots (id) ON DELETE RESTRICT NOT VALID;
    DROP INDEX bets_high_rolls, bets_of_player_most_earned, bets_of_player_least_earned
"""
NEW_INDEXES = (
    "bets_high_rolls",
    "bets_of_player_most_earned",
    "bets_of_player_least_earned",
    "bets_of_snapshot",
)


def up(migrator, db):
    with db.bind_ctx((User, LedgerTransaction, Snapshot, Bet, Prize, CaseSpins)):
        db.create_tables([Snapshot], safe=False)
        if isinstance(db, peewee.SqliteDatabase):
            _rebuild_bets(db)
        else:
            db.execute_sql(BETS_OF_POSTGRESQL)
            for index in Bet._meta.indexes:  # noqa: SLF001  # the table is there already
                if getattr(index, "_name", None) in NEW_INDEXES:
                    db.execute(index)
        db.create_tables([Prize, CaseSpins], safe=False)
    db.execute_sql(
        'ALTER TABLE "cases" ADD COLUMN "required_level" INTEGER'
        ' CONSTRAINT "cases_required_level"'
        " CHECK (required_level IS NULL OR (required_level >= 0 AND kind = 'level'))"
    )
    _set_required_levels(db)
    for table in ("cases", "irl_cases"):
        db.execute_sql(f'ALTER TABLE "{table}" DROP COLUMN "spins"')


def _rebuild_bets(db):
    """SQLite can neither drop a check nor make a column nullable."""
    columns = [column.name for column in db.get_columns("bets")]
    names = ", ".join(f'"{name}"' for name in columns)
    db.execute_sql('ALTER TABLE "bets" RENAME TO "old_bets"')
    Bet._schema.create_table(safe=False)  # noqa: SLF001
    db.execute_sql(
        f"INSERT INTO bets ({names}, algorithm)"  # noqa: S608  # names of columns
        f" SELECT {names}, 'upgrader-1' FROM old_bets ORDER BY id"
    )
    db.execute_sql('DROP TABLE "old_bets"')
    Bet._schema.create_indexes(safe=False)  # noqa: SLF001


def _set_required_levels(db):
    """The number after ``level-`` in the id; 1 for an id without a number."""
    cases = db.execute_sql("SELECT id, slug FROM cases WHERE kind = 'level'").fetchall()
    for case_id, slug in cases:
        number = re.match(r"level-(\d{1,9})(?!\d)", slug, re.ASCII)
        level = int(number[1]) if number else 1
        db.execute_sql(f"UPDATE cases SET required_level = {level} WHERE id = {case_id}")  # noqa: S608
