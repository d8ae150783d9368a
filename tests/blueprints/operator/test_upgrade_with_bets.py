"""flask db upgrade on a database with bets and cases of the time before openings."""

import pytest
from playhouse.migrations import Runner

from models.cases import Case
from models.db import migrate
from models.db.connection import database, reading, writing
from models.users import User
from services.accounts import users
from services.fairness import rolls
from tests.conftest import Player

BEFORE = "0018_process_settings"
LEVELS = {"level-10-box": 10, "elite-box": 1, "regular-box": None}
WAGER, PRICE, EDGE = 100, 200, 50_000


@pytest.fixture
def app(make_app, empty_database_url):
    """An app over a database of that time."""
    app = make_app(DATABASE_URL=empty_database_url)
    with reading():
        Runner(database.obj, str(migrate.DIRECTORY)).up(BEFORE)
    return app


def insert(table, values):
    columns, marks = ", ".join(values), ", ".join([database.obj.param] * len(values))
    statement = f"INSERT INTO {table} ({columns}) VALUES ({marks})"  # noqa: S608  # names of this file
    with writing():
        database.execute_sql(statement, tuple(values.values()))


def insert_player(app):
    """A player with 100 coins, in the columns of that time."""
    services, platform_id = app.extensions["services"], users.random_platform_id()
    row = User(
        id=1,
        platform_id=platform_id,
        username="alice",
        username_folded="alice",
        registered_at_ms=1,
        balance_cents=100_00,
        client_seed="client-seed",
    ).__data__
    with writing():
        columns = {column.name for column in database.get_columns("users")}
        insert("users", {name: value for name, value in row.items() if name in columns})
        services.seeds.announce_first(user_id=1)
    token = services.tokens.issue(platform_id=platform_id, session=0, now=services.clock())
    return Player(1, platform_id, "alice", token)


@pytest.fixture
def player(app):
    """A player with one spin."""
    player, server_seed = insert_player(app), rolls.draw_server_seed()
    roll = rolls.roll(server_seed=server_seed, client_seed="client-seed", nonce=1)
    threshold = rolls.threshold(wager_cents=WAGER, price_cents=PRICE, house_edge_ppm=EDGE)
    insert("ledger_transactions", {"id": 1_000, "kind": "spin", "created_at_ms": 1})
    bet = {
        "user_id": player.id,
        "game": "upgrader",
        "nonce": 1,
        "ledger_transaction_id": 1_000,
        "wager_cents": WAGER,
        "price_cents": PRICE,
        "house_edge_ppm": EDGE,
        "item": "An item",
        "payout_cents": PRICE if roll < threshold else 0,
        "status": "won" if roll < threshold else "lost",
        "threshold": threshold,
        "roll": roll,
        "client_seed": "client-seed",
        "server_seed_commitment": rolls.commitment_of(server_seed),
        "server_seed": server_seed,
        "created_at_ms": 1,
        "completed_at_ms": 2,
    }
    insert("bets", bet)
    with writing():
        database.execute_sql("UPDATE announced_seeds SET nonce = 2")
    return player


def test_older_bets_stay_verifiable_and_players_can_bet_again(run, client, connect, player, add_item):
    run("db", "upgrade")

    item = add_item(price=2)
    assert connect(player).spin({"amount": 1, "item": item})["status"] is True
    assert client.get("/bets/1").json["algorithm"] == "upgrader-1"
    audit = run("fairness", "audit")
    assert (audit["bets"], audit["mismatches"]) == (2, 0)


def test_a_level_case_gets_the_level_in_its_id_or_level_1(run):
    for slug, level in LEVELS.items():
        kind = "regular" if level is None else "level"
        case = {"slug": slug, "name": slug, "name_folded": slug, "kind": kind, "type": "gamea"}
        insert("cases", case | {"price_cents": 1, "spins": 0, "created_at_ms": 1})

    run("db", "upgrade")

    with reading():
        assert dict(Case.select(Case.slug, Case.required_level).tuples()) == LEVELS
