"""The schema: models and migrations agree, and the database enforces the constraints."""

import importlib
import pkgutil
from contextlib import contextmanager

import peewee
import psycopg2
import pytest

import models
from models.affiliates import Affiliate, Referral
from models.audit_trail import AuditEvent, AuditSeal
from models.bets import Bet
from models.db.connection import Table, database, open_database, reading, writing
from models.items import Item
from models.ledger import LedgerEntry, LedgerTransaction
from models.users import AnnouncedSeed, User

# A table is known once its module is imported.
for module in pkgutil.iter_modules(models.__path__, "models."):
    importlib.import_module(module.name)

AT = 1_700_000_000_123

SQLITE_CATALOGUE = {
    "definitions": """
        SELECT name, tbl_name, sql FROM sqlite_master
        WHERE tbl_name NOT LIKE 'sqlite%' AND tbl_name <> 'schema_migration' AND sql IS NOT NULL
            AND type <> 'trigger'
    """,
    "implied indexes": """
        SELECT indexes.tbl_name, columns.name, implied."unique", implied.origin
        FROM sqlite_master AS indexes, pragma_index_list(indexes.tbl_name) AS implied,
             pragma_index_info(implied.name) AS columns
        WHERE indexes.type = 'table' AND indexes.tbl_name <> 'schema_migration'
    """,
}

POSTGRES_CATALOGUE = {
    "columns": """
        SELECT table_name, column_name, data_type, character_maximum_length, numeric_precision, is_nullable,
               column_default, is_identity
        FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'schema_migration'
    """,
    "constraints": """
        SELECT conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(oid)
        FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace AND conrelid <> 'schema_migration'::regclass
    """,
    "indexes": """
        SELECT tablename, indexname, indexdef FROM pg_indexes
        WHERE schemaname = 'public' AND tablename <> 'schema_migration'
    """,
}

EMPTY = "DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE schema_migration ()"


def catalogue():
    """All that the open database says of its tables, without the order in which they were made."""
    queries = SQLITE_CATALOGUE if isinstance(database.obj, peewee.SqliteDatabase) else POSTGRES_CATALOGUE
    with reading():
        return {what: sorted(database.execute_sql(query), key=repr) for what, query in queries.items()}


@pytest.fixture
def migrated(database_url):
    """The catalogue of a migrated database."""
    opened = open_database(database_url)
    yield catalogue()
    opened.close_all()


@pytest.fixture
def modelled(migrated, database_url, tmp_path):
    """The catalogue of a database whose tables were made from the models."""
    if database_url.startswith("sqlite"):
        opened = open_database(f"sqlite:///{tmp_path}/modelled.db")
    else:
        connection = psycopg2.connect(database_url)
        with connection, connection.cursor() as cursor:
            cursor.execute(EMPTY)
        connection.close()
        opened = open_database(database_url)
    with writing():
        database.create_tables(Table.__subclasses__(), safe=False)
    yield catalogue()
    opened.close_all()


def test_the_models_equal_the_migrated_schema(migrated, modelled):
    assert modelled == migrated


def test_the_compared_catalogue_contains_every_table_and_check(migrated):
    shown = repr(migrated)

    missing = [
        table._meta.table_name for table in Table.__subclasses__() if table._meta.table_name not in shown
    ]

    assert missing == []
    assert "balance_cents >= 0" in shown


USER = {
    "platform_id": "76561198000000001",
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
BET = {
    "game": "upgrader",
    "algorithm": "upgrader-1",
    "nonce": 1,
    "wager_cents": 100,
    "payout_cents": 0,
    "status": "lost",
    "item": "Item",
    "price_cents": 1000,
    "house_edge_ppm": 50_000,
    "threshold": 950_000,
    "roll": 950_000,
    "client_seed": "seed",
    "server_seed_commitment": "c" * 64,
    "sealed_server_seed": "sealed",
    "server_seed": None,
    "created_at_ms": AT,
    "completed_at_ms": AT,
}
WON = {"status": "won", "roll": 949_999, "payout_cents": 1000}


@pytest.fixture
def tables(database_url):
    """A database of each kind, open, with no code between it and the test."""
    opened = open_database(database_url)
    yield
    opened.close_all()


@pytest.fixture
def insert(tables):
    """Puts a row into a table; its id."""

    def row(table, **values):
        with writing():
            return table.insert(**values).execute()

    return row


@contextmanager
def refused(change):
    """Fails unless the database refuses what the block writes."""
    try:
        with writing():
            yield
    except peewee.IntegrityError:
        return
    pytest.fail(f"accepted: {change}")


@pytest.fixture
def user(insert):
    return insert(User, **USER)


@pytest.fixture
def bet(insert, user):
    """Puts a bet of the user into the database, with a ledger transaction of its own unless told another."""

    def row(**changes):
        if "ledger_transaction" not in changes:
            changes["ledger_transaction"] = insert(LedgerTransaction, kind="spin", created_at_ms=AT)
        return insert(Bet, **({"user": user} | BET | changes))

    return row


INVALID_PLAYERS = [
    {"balance_cents": -1},
    {"vault_cents": -1},
    {"sweepstake_cents": -1},
    {"granted_experience": -1},
    {"wagered_cents": -1},
    {"earned_cents": -1},
    {"free_cases": -1},
    {"client_seed": "abc"},
    {"client_seed": ""},
    {"platform_id": None},
    {"username": None},
    {"balance_cents": None},
]


def test_an_invalid_player_is_refused(user):
    for change in INVALID_PLAYERS:
        with refused(change):
            User.update(change).where(User.id == user).execute()


ACCOUNTS = ["balance_cents", "vault_cents", "sweepstake_cents"]


def test_an_account_can_be_emptied_and_not_overdrawn(user):
    for column in ACCOUNTS:
        with writing():
            User.update({column: 0}).where(User.id == user).execute()

        with refused(column):
            User.update({column: getattr(User, column) - 1}).where(User.id == user).execute()


def test_two_players_cannot_share_a_unique_value(insert, user):
    other = {"platform_id": "76561198000000002", "username_folded": "bob"}

    for column in other:
        with refused(column):
            insert(User, **(USER | other | {column: USER[column]}))


def test_two_players_cannot_own_one_affiliate_code(insert):
    insert(User, **USER, affiliate_code="CODE")

    with pytest.raises(peewee.IntegrityError):
        insert(User, **(USER | {"platform_id": "2", "username_folded": "bob"}), affiliate_code="CODE")


def test_many_players_may_own_no_affiliate_code(insert):
    insert(User, **USER, affiliate_code=None)

    assert insert(User, **(USER | {"platform_id": "2", "username_folded": "bob"}), affiliate_code=None)


INVALID_ITEMS = [
    {"app_id": 440},
    {"price_cents": -1},
    {"market_hash_name": None},
    {"custom_price": None},
    {"price_source": "rumour"},
    {"price_source": None},
    {"price_cents": None},
]


def test_an_invalid_item_is_refused(insert):
    for change in INVALID_ITEMS:
        with refused(change):
            insert(Item, **(ITEM | change))


VALID_ITEMS = [
    {"price_cents": None, "price_source": None},
    {"price_cents": 0},
    {"app_id": 252490},
    {"price_source": "market", "in_feed": False},
]


def test_a_valid_item_is_accepted(insert):
    for change in VALID_ITEMS:
        assert insert(Item, **(ITEM | {"market_hash_name": str(change)} | change))


def test_two_items_cannot_have_one_name(insert):
    insert(Item, **ITEM)

    with pytest.raises(peewee.IntegrityError):
        insert(Item, **ITEM)


INVALID_ENTRIES = [
    ("balance", "the player's", 0),
    ("house.bets", "nobody's", 0),
    ("balance", "nobody's", 5),
    ("vault", "nobody's", 5),
    ("sweepstake", "nobody's", 5),
    ("house.bets", "the player's", 5),
    ("savings", "the player's", 5),
    ("savings", "nobody's", 5),
    ("house", "nobody's", 5),
    ("", "nobody's", 5),
    ("balance", "a stranger's", 5),
]


def test_an_invalid_ledger_entry_is_refused(insert, user):
    transaction = insert(LedgerTransaction, kind="grant", created_at_ms=AT)
    owners = {"the player's": user, "nobody's": None, "a stranger's": user + 1}

    for account, whose, amount in INVALID_ENTRIES:
        with refused((account, whose, amount)):
            insert(
                LedgerEntry, transaction=transaction, account=account, user=owners[whose], amount_cents=amount
            )


def test_a_valid_ledger_entry_is_accepted(insert, user):
    transaction = insert(LedgerTransaction, kind="grant", created_at_ms=AT)
    owners = {"balance": user, "vault": user, "sweepstake": user, "house.bets": None}

    for account, owner in owners.items():
        for amount in (1, -1, 2**62):
            entry = {"account": account, "user": owner, "amount_cents": amount}
            assert insert(LedgerEntry, transaction=transaction, **entry)


def test_a_ledger_entry_needs_a_transaction(insert, user):
    with pytest.raises(peewee.IntegrityError):
        insert(LedgerEntry, transaction=999, account="balance", user=user, amount_cents=1)


def test_rows_that_the_ledger_refers_to_cannot_be_deleted(insert, user):
    transaction = insert(LedgerTransaction, kind="grant", created_at_ms=AT)
    insert(LedgerEntry, transaction=transaction, account="balance", user=user, amount_cents=1)

    for table in (User, LedgerTransaction):
        with refused(table):
            table.delete().execute()


VALID_BETS = [{}, WON, {"server_seed": "s" * 64, "sealed_server_seed": None}]


def test_a_valid_bet_is_accepted(bet):
    for nonce, change in enumerate(VALID_BETS, 1):
        assert bet(nonce=nonce, server_seed_commitment=str(nonce) * 64, **change)


INVALID_BETS = [
    {"nonce": 0},
    {"wager_cents": 0},
    {"wager_cents": -1},
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
    {"sealed_server_seed": None},
    {"completed_at_ms": AT - 1},
    {"user": 999},
    {"user": None},
    {"ledger_transaction": 999},
    {"ledger_transaction": None},
    {"client_seed": None},
]


def test_an_invalid_bet_is_refused(bet):
    for change in INVALID_BETS:
        with refused(change):
            bet(**change)


def test_two_bets_of_a_player_cannot_share_a_unique_value(bet):
    first = {"nonce": 1, "server_seed_commitment": "a" * 64, "request_id": "mine"}
    second = {"nonce": 2, "server_seed_commitment": "b" * 64, "request_id": "other"}
    bet(**first)

    for column, value in first.items():
        with refused(column):
            bet(**(second | {column: value}))


def test_two_bets_cannot_share_a_ledger_transaction(bet, insert):
    transaction = insert(LedgerTransaction, kind="spin", created_at_ms=AT)
    bet(ledger_transaction=transaction)

    with pytest.raises(peewee.IntegrityError):
        bet(nonce=2, server_seed_commitment="d" * 64, ledger_transaction=transaction)


def test_bets_without_a_request_id_do_not_collide(bet):
    bet(request_id=None)

    assert bet(nonce=2, server_seed_commitment="d" * 64, request_id=None)


def test_players_may_use_the_same_nonce_and_request_id(bet, insert):
    other = insert(User, **(USER | {"platform_id": "2", "username_folded": "bob"}))
    bet(request_id="mine")

    assert bet(user=other, server_seed_commitment="d" * 64, request_id="mine")


def test_bets_of_two_players_cannot_share_a_commitment(bet, insert):
    other = insert(User, **(USER | {"platform_id": "2", "username_folded": "bob"}))
    bet()

    with pytest.raises(peewee.IntegrityError):
        bet(user=other)


def test_a_player_with_bets_cannot_be_deleted(bet):
    bet()

    with pytest.raises(peewee.IntegrityError), writing():
        User.delete().execute()


def test_the_transaction_of_a_bet_cannot_be_deleted(bet):
    bet()

    with pytest.raises(peewee.IntegrityError), writing():
        LedgerTransaction.delete().execute()


@pytest.fixture
def announce(insert):
    """Announces a seed to a player."""

    def row(user, **changes):
        values = {"nonce": 1, "server_seed_commitment": "c" * 64, "sealed_server_seed": "sealed"}
        insert(AnnouncedSeed, user=user, **(values | changes))

    return row


INVALID_SEEDS = [{"nonce": 0}, {"server_seed_commitment": None}, {"sealed_server_seed": None}]


def test_an_invalid_announced_seed_is_refused(announce, user):
    for change in INVALID_SEEDS:
        with refused(change):
            announce(user, **change)


def test_a_player_has_one_announced_seed(announce, user):
    announce(user)

    with pytest.raises(peewee.IntegrityError):
        announce(user, nonce=2, server_seed_commitment="d" * 64)


def test_a_seed_cannot_be_announced_to_two_players(announce, insert, user):
    other = insert(User, **(USER | {"platform_id": "2", "username_folded": "bob"}))
    announce(user)

    with pytest.raises(peewee.IntegrityError):
        announce(other)


def test_an_announced_seed_needs_a_player(announce, user):
    with pytest.raises(peewee.IntegrityError):
        announce(user + 1)


@pytest.fixture
def refer(insert, user):
    """Puts a referral of the user into the database, to an owner who is another."""
    owner = insert(
        User, **USER | {"platform_id": "other", "username_folded": "other", "affiliate_code": "OTHER"}
    )

    def row(**changes):
        if "ledger_transaction" not in changes:
            changes["ledger_transaction"] = insert(LedgerTransaction, kind="code-bonus", created_at_ms=AT)
        return insert(Referral, **({"user": user, "owner": owner, "used_at_ms": AT} | changes))

    return row


INVALID_REFERRALS = [
    {"deposited_cents": -1},
    {"withdrawn_cents": -1},
    {"bonus_cents": -1},
    {"owner": 10**9},
    {"user": 10**9},
]


def test_an_invalid_referral_is_refused(refer):
    for change in INVALID_REFERRALS:
        with refused(change):
            refer(**change)


def test_a_player_cannot_be_referred_twice(refer):
    refer()

    with pytest.raises(peewee.IntegrityError):
        refer()


def test_a_player_cannot_be_referred_by_themselves(refer, user):
    with pytest.raises(peewee.IntegrityError):
        refer(owner=user)


def test_a_negative_claimed_sum_is_refused(insert, user):
    with pytest.raises(peewee.IntegrityError):
        insert(Affiliate, user=user, claimed_cents=-1)


AUDIT_EVENT = {
    "id": 1,
    "at_ms": AT,
    "who": "system",
    "what": "account.created",
    "key_id": "k" * 16,
    "mac": "m" * 64,
}
AUDIT_SEAL = {"number": 1, "event_id": 1, "previous_seal": "", "key_id": "k" * 16, "seal": "s" * 64}


@pytest.fixture
def audited(insert):
    """A sealed event."""
    insert(AuditEvent, **AUDIT_EVENT)
    insert(AuditSeal, **AUDIT_SEAL)


UPDATE_AND_DELETE = ("UPDATE {} SET key_id = 'other'", "DELETE FROM {}")
OF_ONE_DATABASE = {"sqlite": "REPLACE INTO {0} SELECT * FROM {0}", "postgresql": "TRUNCATE {}"}


def test_the_audit_trail_can_only_grow(audited, database_url):
    statements = (*UPDATE_AND_DELETE, OF_ONE_DATABASE[database_url.partition(":")[0]])
    for table in ("audit_events", "audit_seals"):
        for statement in statements:
            with pytest.raises(peewee.IntegrityError, match=f"{table} is append-only"), writing():
                database.execute_sql(statement.format(table))


SEALED_TWICE = [{"number": 1, "event_id": 2}, {"number": 2, "event_id": 1}]


def test_an_event_and_a_place_in_the_chain_are_sealed_once(audited, insert):
    for change in SEALED_TWICE:
        with refused(change):
            insert(AuditSeal, **(AUDIT_SEAL | change))
