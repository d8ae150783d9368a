"""flask db upgrade on a database with bets and cases of the time before openings."""

import pytest
from playhouse.migrations import Runner

from models.cases import Case
from models.db import migrate
from models.db.connection import database, reading, writing
from models.users import AnnouncedSeed, User
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
    """A player with a spin of 1970."""
    player = insert_player(app)
    insert_spin(player, nonce=1, at=1)
    return player


def insert_spin(player, *, nonce, at):
    """A spin of 1 coin, in the columns of that time. Returns what it paid, in cents."""
    server_seed = rolls.draw_server_seed()
    roll = rolls.roll(server_seed=server_seed, client_seed="client-seed", nonce=nonce)
    threshold = rolls.threshold(wager_cents=WAGER, price_cents=PRICE, house_edge_ppm=EDGE)
    payout = PRICE if roll < threshold else 0
    transaction_id = 1_000 + nonce
    insert("ledger_transactions", {"id": transaction_id, "kind": "spin", "created_at_ms": at})
    bet = {
        "user_id": player.id,
        "game": "upgrader",
        "nonce": nonce,
        "ledger_transaction_id": transaction_id,
        "wager_cents": WAGER,
        "price_cents": PRICE,
        "house_edge_ppm": EDGE,
        "item": "An item",
        "payout_cents": payout,
        "status": "won" if roll < threshold else "lost",
        "threshold": threshold,
        "roll": roll,
        "client_seed": "client-seed",
        "server_seed_commitment": rolls.commitment_of(server_seed),
        "server_seed": server_seed,
        "created_at_ms": at,
        "completed_at_ms": at + 1,
    }
    insert("bets", bet)
    with writing():
        AnnouncedSeed.update(nonce=nonce + 1).execute()
    return payout


def test_older_bets_stay_verifiable_and_players_can_bet_again(run, client, connect, player, add_item):
    run("db", "upgrade")

    item = add_item(price=2)
    assert connect(player).spin({"amount": 1, "item": item})["status"] is True
    assert client.get("/bets/1").json["algorithm"] == "upgrader-1"
    audit = run("fairness", "audit")
    assert (audit["bets"], audit["mismatches"]) == (2, 0)


def test_a_limit_counts_the_bets_of_the_month_from_before_the_upgrade(
    app, run, client, connect, player, add_item
):
    paid = insert_spin(player, nonce=2, at=app.extensions["services"].clock())

    run("db", "upgrade")

    month = client.get("/limits/summary", headers=player.headers).json["month"]
    assert (month["wagered"], month["paid"]) == (1, paid / 100)
    limit = {"kind": "wager", "period": "month", "value": 1.99}
    assert client.put("/limits", json=limit, headers=player.headers).status_code == 200
    item = add_item(price=2)
    assert connect(player).spin({"amount": 1, "item": item})["error"] == "Your limit is reached"
    assert connect(player).spin({"amount": 0.99, "item": item})["status"] is True


def test_a_level_case_gets_the_level_in_its_id_or_level_1(run):
    for slug, level in LEVELS.items():
        kind = "regular" if level is None else "level"
        case = {"slug": slug, "name": slug, "name_folded": slug, "kind": kind, "type": "gamea"}
        insert("cases", case | {"price_cents": 1, "spins": 0, "created_at_ms": 1})

    run("db", "upgrade")

    with reading():
        assert dict(Case.select(Case.slug, Case.required_level).tuples()) == LEVELS
