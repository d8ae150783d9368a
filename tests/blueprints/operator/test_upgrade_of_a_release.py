"""flask db upgrade on a database of version 0.2.0 with players, bets, payments, prices and cases."""

import json

import pytest

from models.cases import Case
from models.db import migrate
from models.db.connection import database, reading, writing
from models.items import Item
from models.limit_requests import DAY_MS, LimitRequest
from models.prices import PriceSource
from models.users import User
from tests.harness.players import signed_in
from tests.support.older_databases import database_of_0_2_0

pytestmark = [pytest.mark.thorough, pytest.mark.both_databases("migrations")]

ANNOUNCED = {"alice": "47b743db3618ad33", "bob": "188c36aca699740e"}
"""How the commitments in the database begin."""

LEVELS = {"level-10-box": 10, "elite-box": 1, "regular-box": None}


@pytest.fixture
def settings(database_url, tmp_path):
    return {"DATABASE_URL": database_of_0_2_0(database_url, tmp_path, players=True)}


@pytest.fixture
def players(app):
    """Alice, who has played and paid, and Bob, who has not."""
    return [
        signed_in(app, User(id=number, platform_id=id_, username=name))
        for number, id_, name in ((1, "76561190000000001", "alice"), (2, "76561190000000002", "bob"))
    ]


@pytest.fixture
def alice(players):
    return players[0]


def test_balances_and_payments_are_kept_and_all_totals_are_right(run, client, alice):
    run("db", "upgrade")

    account = client.get("/auth/me", headers=alice.headers).json
    assert (account["balance"], account["vaultBalance"]) == (104, 5)
    again = run("payments", "record", alice.platform_id, "deposit", "10", "--txhash", "abc1")
    assert (again["_id"], again["txhash"]) == ("1", "0xAbC1")
    assert client.get("/auth/me", headers=alice.headers).json["balance"] == 104
    assert run("ledger", "audit")["mismatches"] == 0


def test_older_bets_stay_verifiable_and_players_can_bet_again(run, client, connect, alice):
    run("db", "upgrade")

    assert connect(alice).spin({"amount": 1, "item": "Item"})["status"] is True
    assert client.get("/bets/1").json["algorithm"] == "upgrader-1"
    audit = run("fairness", "audit")
    assert (audit["bets"], audit["mismatches"]) == (4, 0)
    assert run("ledger", "audit")["mismatches"] == 0


def test_a_spin_that_was_answered_before_is_not_charged_again(run, client, connect, alice):
    run("db", "upgrade")

    assert connect(alice).spin({"amount": 1, "item": "Item", "requestId": "first"})["status"] is True

    assert client.get("/auth/me", headers=alice.headers).json["balance"] == 104
    assert run("fairness", "audit")["bets"] == 3


def test_proofs_that_were_not_delivered_are_sent(run, connect, alice):
    run("db", "upgrade")

    socket = connect(alice)

    assert {socket.expect("upgrader:proof")["nonce"] for _ in range(3)} == {1, 2, 3}


def test_only_seeds_from_before_the_seed_marks_are_redrawn(run, client, players):
    run("db", "upgrade")

    for player in players:
        announced = client.get("/upgrader/commitment", headers=player.headers).json
        is_kept = announced["serverSeedCommitment"].startswith(ANNOUNCED[player.username])
        assert is_kept == (player.username == "alice")


NAMED = {"number": 2, "token": "the last mark", "history": ""}
"""What the file of a machine says that has used the database last."""


@pytest.mark.security("Restored database")
@pytest.mark.parametrize(
    ("file", "is_kept"),
    [
        (NAMED, True),
        (NAMED | {"token": "another mark"}, False),
        (NAMED | {"number": 1}, False),
        (NAMED | {"database": "another database"}, False),
        (None, False),
    ],
    ids=["the last mark", "another history", "an older mark", "another database", "no file"],
)
def test_seeds_are_kept_if_the_machine_used_this_database_last(run, client, alice, tmp_path, file, is_kept):
    with writing():
        database.execute_sql("INSERT INTO seed_marks (number, token, epoch) VALUES (2, 'the last mark', 1)")
        content = file and {"database": database.obj.identity()} | file
    if content:
        (tmp_path / "instance" / "seeds.witness").write_text(json.dumps(content))

    run("db", "upgrade")

    announced = client.get("/upgrader/commitment", headers=alice.headers).json
    assert announced["serverSeedCommitment"].startswith(ANNOUNCED["alice"]) == is_kept


def test_a_limit_counts_the_months_bets_before_the_upgrade(app, run, client, connect, alice):
    now = app.extensions["services"].clock()
    with writing():
        # A bet of 1 coin that won 2.
        database.execute_sql(
            f"UPDATE bets SET created_at_ms = {now}, completed_at_ms = {now} WHERE nonce = 2"  # noqa: S608
        )

    run("db", "upgrade")

    month = client.get("/limits/summary", headers=alice.headers).json["month"]
    assert (month["wagered"], month["paid"]) == (1, 2)
    limit = {"kind": "wager", "period": "month", "value": 1.99}
    assert client.put("/limits", json=limit, headers=alice.headers).status_code == 200
    assert connect(alice).spin({"amount": 1, "item": "Item"})["error"] == "Your limit is reached"
    assert connect(alice).spin({"amount": 0.99, "item": "Item"})["status"] is True


def test_limits_and_requests_from_before_the_deposit_limits_are_kept(app, run, send, alice):
    now = app.extensions["services"].clock()
    with reading():
        migrate.Runner(database.obj, str(migrate.DIRECTORY)).up("0025_encrypted_columns")
    with writing():
        database.execute_sql("UPDATE users SET week_loss_limit_cents = 5000 WHERE id = 1")
        database.execute_sql(
            "INSERT INTO limit_requests (id, user_id, kind, period, value_cents, requested_at_ms)"  # noqa: S608
            f" VALUES ('one', 1, 'loss', 'week', 6000, {now - DAY_MS}), ('two', 2, 'wager', 'day', NULL, 0)"
        )

    run("db", "upgrade")

    with reading():
        kept = LimitRequest.select(LimitRequest.id, LimitRequest.user, LimitRequest.value_cents)
        assert set(kept.tuples()) == {("one", 1, 6000), ("two", 2, None)}
    for value in (20, 30):
        limit = {"kind": "deposit", "period": "month", "value": value}
        status, requested = send(alice, "PUT", "/limits", limit)
        assert status == 200
    _, shown = send(alice, "POST", "/limits/requests/one/confirm")
    assert (shown["loss"]["week"], shown["deposit"]["month"]) == (60, 20)
    assert shown["pending"] == [requested]


def test_a_notified_vault_deadline_is_shown_once_after_the_upgrade(run, client, alice):
    with writing():
        database.execute_sql(
            "INSERT INTO notifications (user_id, title, message, created_at_ms)"
            " SELECT id, 'Vault unlockable', 'Unlock it', vault_deadline_ms FROM users WHERE id = 1"
        )

    run("db", "upgrade")

    shown = client.get("/profile/notifications", headers=alice.headers).json
    assert [each["title"] for each in shown] == ["Vault unlockable", "Deposit credited"]


def test_a_level_case_gets_its_ids_level_or_1(run):
    run("db", "upgrade")

    with reading():
        assert dict(Case.select(Case.slug, Case.required_level).tuples()) == LEVELS


def test_prices_are_kept_and_an_interrupted_refresh_is_due_again(run):
    run("db", "upgrade")

    with reading():
        prices = Item.select(Item.market_hash_name, Item.price_cents, Item.price_source)
        assert set(prices.tuples()) == {("Item", 200, "import"), ("Without price", None, None)}
        assert set(Case.select(Case.price_cents).scalars()) == {211}
        sources = PriceSource.select(PriceSource.name, PriceSource.next_at_ms, PriceSource.failures)
        assert set(sources.tuples()) == {("feed", 0, 0), ("market", 1_700_000_030_000, 1)}
