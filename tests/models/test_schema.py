"""The schema: migrations make what the models describe, and the database enforces the constraints."""

import ast
import re
from pathlib import Path

import peewee
import pytest

from models import battles, rewards  # noqa: F401  # their tables are among the described ones
from models.announced_seeds import AnnouncedSeed
from models.audit_trail import AuditAnchor, AuditEvent
from models.bets import Bet
from models.cases import Case, CaseItem, CaseVersion
from models.db import migrate
from models.db.connection import Table, database, open_database, reading, writing
from models.items import Item
from models.ledger import Affiliate, LedgerEntry, LedgerTransaction, Referral
from models.limits import LimitRequest
from models.users import User
from tests.support.reused_databases import empty_database

AT = 1_700_000_000_123

MIGRATIONS = sorted(migrate.DIRECTORY.glob("*.py"))

SQLITE_CATALOGUE = {
    "columns": """
        SELECT tables.name, columns.name, columns.type, columns."notnull", columns.dflt_value, columns.pk
        FROM tables, pragma_table_info(tables.name) AS columns
    """,
    "foreign keys": """
        SELECT tables.name, keys."from", keys."table", keys."to", keys.on_delete
        FROM tables, pragma_foreign_key_list(tables.name) AS keys
    """,
    "implied indexes": """
        SELECT tables.name, columns.name, implied."unique", implied.origin
        FROM tables, pragma_index_list(tables.name) AS implied, pragma_index_info(implied.name) AS columns
    """,
    "indexes": """
        SELECT indexes.name, indexes.sql FROM tables JOIN sqlite_master AS indexes ON tbl_name = tables.name
        WHERE indexes.type = 'index' AND indexes.sql IS NOT NULL
    """,
    "definitions": "SELECT name, sql FROM tables",
}
TABLES_OF_SQLITE = """
WITH tables AS (SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name <> 'schema_migration')
"""

POSTGRES_CATALOGUE = {
    "columns": """
        SELECT table_name, column_name, data_type, character_maximum_length, numeric_precision, is_nullable,
               column_default, is_identity
        FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'schema_migration'
    """,
    "constraints": """
        SELECT conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(oid)
        FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'schema_migration'
    """,
    "indexes": """
        SELECT tablename, indexname, indexdef FROM pg_indexes
        WHERE schemaname = 'public' AND tablename <> 'schema_migration'
    """,
}


def catalogue():
    """Columns, constraints and indexes of the open database, without the order in which they were made."""
    is_sqlite = isinstance(database.obj, peewee.SqliteDatabase)
    queries = SQLITE_CATALOGUE if is_sqlite else POSTGRES_CATALOGUE
    with reading():
        found = {
            what: set(database.execute_sql(TABLES_OF_SQLITE + query if is_sqlite else query))
            for what, query in queries.items()
        }
    if is_sqlite:
        found["checks"] = {(name, check) for name, sql in found.pop("definitions") for check in checks(sql)}
        found["indexes"] = {(name, re.sub(r'[\s"]', "", sql)) for name, sql in found["indexes"]}
    return found


def checks(definition):
    """The conditions that the definition of a table checks, without blanks."""
    for check in re.split(r"CHECK ?\(", definition)[1:]:
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(check[end], 0)
            end += 1
        yield re.sub(r"\s", "", check[: end - 1])


@pytest.fixture
def migrated(database_url):
    """The catalogue of a database that the migrations have made."""
    opened = open_database(database_url)
    yield catalogue()
    opened.close_all()


@pytest.fixture
def described(migrated, database_url, tmp_path):
    """The catalogue of a database with the tables of the models."""
    opened = open_database(empty_database(database_url, tmp_path))
    with writing():
        database.create_tables(Table.__subclasses__(), safe=False)
    yield catalogue()
    opened.close_all()


@pytest.mark.both_databases("a migration")
def test_the_migrations_make_the_schema_that_the_models_describe(migrated, described):
    assert migrated == described
    assert "balance_cents>=0" in repr(migrated).replace(" ", "")


def imported(file: Path) -> set[str]:
    """The names of the modules that a file imports."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    return names


@pytest.mark.parametrize("migration", MIGRATIONS, ids=lambda path: path.stem)
def test_a_migration_imports_no_model_since_models_change(migration):
    assert [name for name in imported(migration) if name.split(".")[0] == "models"] == []


@pytest.mark.usefixtures("migrated")
def test_every_table_has_a_primary_key():
    """Logical replication needs one."""
    with reading():
        without = [name for name in database.get_tables() if not database.get_primary_keys(name)]

    assert without == []


USER = {
    "username": "Alice",
    "username_folded": "alice",
    "registered_at_ms": AT,
    "client_seed": "seed",
}
ITEM = {
    "app_id": 730,
    "market_hash_name": "Item",
    "gun_name": "Item",
    "skin_name": "",
    "price_cents": 1,
    "price_source": "import",
    "next_price_fetch_ms": AT,
}
CASE = {
    "slug": "case",
    "name": "Case",
    "name_folded": "case",
    "kind": "regular",
    "type": "gamea",
    "price_cents": 1,
    "creator": 5,
    "created_at_ms": AT,
}
CASE_ITEM = {"case": 101, "item": 101, "position": 0, "ticket_width": 1}
ENTRY = {"transaction": 1, "account": "balance", "user": 1, "amount_cents": 1}
BET = {
    "user": 2,
    "game": "upgrader",
    "algorithm": "upgrader-1",
    "nonce": 1,
    "ledger_transaction": 2,
    "request_id": "mine",
    "wager_cents": 100,
    "payout_cents": 0,
    "status": "lost",
    "item": "Item",
    "price_cents": 1000,
    "house_edge_ppm": 50_000,
    "threshold": 950_000,
    "roll": 950_000,
    "client_seed": "seed",
    "server_seed_commitment": "a" * 64,
    "encrypted_server_seed": "encrypted",
    "server_seed": None,
    "next_commitment": bytes(32),
    "created_at_ms": AT,
    "proof_due_at_ms": AT,
}
WON = {"status": "won", "roll": 949_999, "payout_cents": 1000}
SEED = {
    "user": 3,
    "nonce": 1,
    "server_seed_commitment": "c" * 64,
    "encrypted_server_seed": "encrypted",
    "epoch": 1,
    "is_logged": False,
}
LIMIT_REQUEST = {
    "id": "one",
    "user": 1,
    "kind": "wager",
    "period": "day",
    "value_cents": 1,
    "requested_at_ms": AT,
}
REFERRAL = {"user": 3, "owner": 4, "ledger_transaction": 4, "used_at_ms": AT}
AUDIT_EVENT = {
    "id": 1,
    "at_ms": AT,
    "who": "system",
    "what": "account.created",
    "salt": "s" * 32,
    "digest": "d" * 64,
}
UNNUMBERED_BET = {"nonce": 2, "request_id": None, "ledger_transaction": 3, "server_seed_commitment": "b" * 64}
STORED = [
    (User, USER | {"id": 1, "platform_id": "1", "affiliate_code": "CODE"}),
    *(
        (User, USER | {"id": number, "platform_id": str(number), "username_folded": str(number)})
        for number in (2, 3, 4, 5)
    ),
    *((LedgerTransaction, {"id": number, "kind": "grant", "created_at_ms": AT}) for number in range(1, 6)),
    (LedgerEntry, ENTRY),
    (Item, ITEM | {"id": 101}),
    (Item, ITEM | {"id": 102, "market_hash_name": "Other"}),
    (Case, CASE | {"id": 101}),
    (CaseItem, CASE_ITEM),
    (Bet, BET),
    (Bet, BET | UNNUMBERED_BET),
    (AnnouncedSeed, SEED),
    (Referral, REFERRAL),
    (AuditEvent, AUDIT_EVENT),
]
"""Rows of each table. Player 1 and transaction 1 have an entry, player 2 and transaction 2 a bet,
player 5 and item 101 a case."""

NEW = {
    User: USER | {"id": 6, "platform_id": "6", "username_folded": "6"},
    LedgerEntry: ENTRY,
    Item: ITEM | {"market_hash_name": "New"},
    Case: CASE | {"slug": "new", "name_folded": "new"},
    CaseItem: CASE_ITEM | {"item": 102, "position": 1},
    Bet: BET | {"nonce": 3, "request_id": "new", "ledger_transaction": 5, "server_seed_commitment": "d" * 64},
    AnnouncedSeed: SEED | {"user": 1, "server_seed_commitment": "d" * 64},
    Referral: REFERRAL | {"user": 1, "ledger_transaction": 5},
    Affiliate: {"user": 1},
    LimitRequest: LIMIT_REQUEST,
}
"""A row of each table that the database accepts beside the stored ones."""

ACCEPTED = {
    User: [{"affiliate_code": None}],
    LedgerEntry: [
        {"account": account, "user": user, "amount_cents": amount}
        for account, user in (("balance", 1), ("vault", 1), ("sweepstake", 1), ("house.bets", None))
        for amount in (1, -1, 2**62)
    ],
    Item: [
        {"price_cents": None, "price_source": None},
        {"price_cents": 0},
        {"app_id": 252490},
        {"price_source": "market", "in_feed": False},
    ],
    Case: [{"slug": "free-case", "kind": "free"}, {"kind": "level", "required_level": 0}, {"creator": None}],
    CaseItem: [{"ticket_width": 0}, {"ticket_width": 10**18}],
    Bet: [
        WON,
        {"server_seed": "s" * 64, "encrypted_server_seed": None},
        {"request_id": None},
        {"user": 1, "nonce": 1, "request_id": "mine"},
    ],
    LimitRequest: [{"kind": "loss"}, {"kind": "deposit"}, {"value_cents": None}],
}
REFUSED = {
    User: [
        *({f"{account}_cents": -1} for account in ("balance", "vault", "sweepstake", "wagered", "earned")),
        {"granted_experience": -1},
        {"free_cases": -1},
        {"client_seed": "abc"},
        {"platform_id": "1"},
        {"username_folded": "alice"},
        {"affiliate_code": "CODE"},
    ],
    Item: [
        {"app_id": 440},
        {"price_cents": -1},
        {"price_source": "rumour"},
        {"price_source": None},
        {"price_cents": None},
        {"market_hash_name": "Item"},
    ],
    Case: [
        {"kind": "gold"},
        {"kind": "free"},
        {"slug": "free-case"},
        {"slug": "free-case", "kind": "level"},
        {"type": "gamec"},
        {"price_cents": -1},
        {"price_cents": None},
        {"required_level": 1},
        {"kind": "level", "required_level": -1},
        {"creator": 999},
        {"slug": "case"},
        {"name_folded": "case"},
    ],
    CaseItem: [
        {"ticket_width": -1},
        {"position": -1},
        {"position": 0},
        {"item": 101},
        {"item": 999},
        {"case": 999},
    ],
    LedgerEntry: [
        {"amount_cents": 0},
        {"account": "house.bets", "user": None, "amount_cents": 0},
        *({"account": account, "user": None} for account in ("balance", "vault", "sweepstake")),
        {"account": "house.bets"},
        {"account": "savings"},
        {"user": 999},
        {"transaction": 999},
    ],
    Bet: [
        {"nonce": 0},
        {"wager_cents": 0},
        {"wager_cents": 1000},
        {"payout_cents": -1},
        {"payout_cents": 1},
        {"status": "open"},
        {"status": "won"},
        {"roll": 949_999},
        {"roll": 949_999, "status": "won"},
        {"roll": 949_999, "payout_cents": 1000},
        {"status": "won", "payout_cents": 1000},
        WON | {"payout_cents": 0},
        {"price_cents": 0},
        {"house_edge_ppm": -1},
        {"house_edge_ppm": 1_000_000},
        {"threshold": 0},
        {"threshold": 10_000_000},
        {"roll": -1},
        {"roll": 10_000_000},
        {"server_seed": "s" * 64},
        {"encrypted_server_seed": None},
        {"proof_due_at_ms": AT - 1},
        {"user": 999},
        {"user": None},
        {"ledger_transaction": 999},
        {"nonce": 1},
        {"request_id": "mine"},
        {"server_seed_commitment": "a" * 64},
    ],
    AnnouncedSeed: [
        {"nonce": 0},
        {"encrypted_server_seed": None},
        {"user": 3},
        {"user": 999},
    ],
    Referral: [
        *({f"{total}_cents": -1} for total in ("deposited", "withdrawn", "bonus")),
        {"owner": 999},
        {"user": 999},
        {"user": 3},
        {"owner": 1},
    ],
    Affiliate: [{"claimed_cents": -1}],
    LimitRequest: [{"kind": "payout"}, {"period": "year"}, {"value_cents": -1}, {"user": 999}],
}
REFERRED_TO = [
    *((User, number) for number in (1, 2, 3, 4, 5)),
    *((LedgerTransaction, number) for number in (1, 2, 4)),
    (Item, 101),
]


@pytest.fixture
def stored(database_url):
    """A database of each kind with a few rows, and no code between it and the test."""
    opened = open_database(database_url)
    with writing():
        for table, row in STORED:
            table.insert(**row).execute()
    yield
    opened.close_all()


def is_accepted(query):
    """Whether the database accepts this change, which is undone."""
    with writing(), database.atomic() as transaction:
        try:
            query.execute()
        except peewee.IntegrityError:
            return False
        finally:
            transaction.rollback()
    return True


def accepted(changes):
    """The new rows with one of these changes each that the database accepts."""
    rows = [(table, change) for table, own in changes.items() for change in own]
    return [(table, change) for table, change in rows if is_accepted(table.insert(**NEW[table] | change))]


@pytest.mark.both_databases("models/users.py")
@pytest.mark.usefixtures("stored")
def test_a_valid_row_is_accepted():
    valid = {table: [{}, *ACCEPTED.get(table, [])] for table in NEW}

    assert accepted(valid) == [(table, change) for table, own in valid.items() for change in own]


@pytest.mark.both_databases("rules of the tables")
@pytest.mark.regulation("(d) Non-repeatability")
@pytest.mark.usefixtures("stored")
def test_invalid_rows_and_repeated_unique_values_are_refused():
    assert accepted(REFUSED) == []


@pytest.mark.both_databases("rules of the tables")
@pytest.mark.usefixtures("stored")
def test_rows_that_others_refer_to_cannot_be_deleted():
    for table, number in REFERRED_TO:
        assert not is_accepted(table.delete().where(table.id == number)), (table, number)


@pytest.mark.both_databases("rules of the tables")
@pytest.mark.usefixtures("stored")
def test_there_is_one_version_of_the_cases():
    assert not is_accepted(CaseVersion.insert(id=2, version=1))


UPDATE_AND_DELETE = ("UPDATE {} SET digest = 'other'", "UPDATE {0} SET {1} = 2", "DELETE FROM {}")
OF_ONE_DATABASE = {"sqlite": "REPLACE INTO {0} SELECT * FROM {0}", "postgresql": "TRUNCATE {}"}


@pytest.mark.both_databases("rules of the tables")
@pytest.mark.security("The audit trail")
@pytest.mark.regulation("B.6 Logs")
@pytest.mark.usefixtures("stored")
def test_the_audit_trail_can_only_grow(database_url):
    with writing():
        database.execute_sql("UPDATE audit_events SET number = 1")
        AuditAnchor.create(events=1, digest="d" * 64, at_ms=AT)
    statements = (*UPDATE_AND_DELETE, OF_ONE_DATABASE[database_url.partition(":")[0]])
    for statement in statements:
        for table, number in (("audit_events", "number"), ("audit_anchors", "events")):
            with pytest.raises(peewee.IntegrityError, match=f"{table} is append-only"), writing():
                database.execute_sql(statement.format(table, number))
