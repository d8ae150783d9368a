"""POST /profile/close: a player closes the account, and GET /profile/close, what is in the way."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from models.db.connection import reading, writing
from models.ledger import LedgerEntry, LedgerTransaction
from models.users import User
from services.shared.clock import DAY_MS
from tests.harness.players import create_player
from tests.harness.spins import play_spin
from tests.support.audits import check_reports
from tests.support.openings import win_prize

CLOSED = (200, {"success": True})
WITHDRAW_FIRST = (400, {"error": "Withdraw your balance first"})
ALL = {"forfeit": True}


@pytest.fixture
def close(send):
    """Closes the account of a player; status and body."""
    return lambda player, body=None: send(player, "POST", "/profile/close", body)


@pytest.fixture
def in_the_way(send):
    def get(player):
        status, answer = send(player, "GET", "/profile/close")
        assert status == 200
        return answer["data"]

    return get


@pytest.fixture
def audited(run):
    """All audits agree after the test."""
    yield
    assert run("ledger", "audit")["mismatches"] == 0
    run("audit", "verify")


def entries(kind):
    with reading():
        query = LedgerEntry.select(LedgerEntry.account, LedgerEntry.amount_cents).join(LedgerTransaction)
        return sorted(query.where(LedgerTransaction.kind == kind).tuples())


@pytest.mark.both_databases("services/closing/closing.py")
@pytest.mark.usefixtures("audited")
def test_an_empty_account_is_closed_and_its_token_ends(close, client, new_player):
    player = new_player("alice", coins=0)

    assert close(player) == CLOSED

    assert client.get("/auth/me", headers=player.headers).status_code == 401
    assert client.get(f"/profile/user/{player.platform_id}").status_code == 404


@pytest.mark.usefixtures("audited")
def test_an_account_with_coins_stays_open(close, player, me):
    assert close(player) == WITHDRAW_FIRST

    assert me()["balance"] == 100


@pytest.mark.parametrize("body", [{"forfeit": "true"}, {"forfeit": 1}, {"forfeit": None}, []])
def test_forfeit_must_be_a_boolean(close, player, body):
    assert close(player, body)[0] == 400


@pytest.mark.usefixtures("audited")
@pytest.mark.both_databases("services/closing/obstacles.py")
def test_all_coins_that_are_left_go_to_the_house(close, player, change_player, run, send):
    run("users", "adjust", player.platform_id, "20", "--reason", "for the vault")
    vault = {"amount": 30, "deadline": int(time.time() * 1000) + DAY_MS}
    assert send(player, "POST", "/profile/vault/lock", vault)[0] == 200

    assert close(player, ALL) == CLOSED

    assert entries("account-closed") == [
        ("balance", -90_00),
        ("house.forfeited", 30_00),
        ("house.forfeited", 90_00),
        ("vault", -30_00),
    ]
    closed = run("audit", "export")[-1]
    assert (closed["what"], closed["who"]) == ("account.closed", player.platform_id)
    assert closed["after"] == {"balanceCents": 90_00, "sweepstakeCents": 0, "vaultCents": 30_00}


@pytest.mark.usefixtures("audited")
def test_kept_prizes_are_sold_to_the_house(app, player, close, in_the_way):
    win_prize(app, player)
    assert in_the_way(player)["givenUp"]["prizes"] == 1

    assert close(player, ALL) == CLOSED

    assert ("house.prizes", -25_00) in entries("prize-sale")
    assert ("house.forfeited", 120_00) in entries("account-closed")


@pytest.mark.usefixtures("audited")
def test_a_prize_on_its_way_must_be_shipped_first(app, player, close, in_the_way, send):
    prize = win_prize(app, player)
    address = dict.fromkeys(("addressLine1", "city", "zipCode", "country"), "x")
    details = {"firstName": "A", "lastName": "B", "shippingAddress": address}
    send(player, "PUT", "/profile/details", details)
    assert send(player, "POST", f"/prizes/{prize}/ship")[0] == 200

    assert close(player) == WITHDRAW_FIRST
    assert close(player, ALL) == (400, {"error": "Wait until your prizes are shipped"})
    assert in_the_way(player)["mustEnd"]["prizes"] == 1


def test_what_is_in_the_way_is_shown(in_the_way, player):
    assert in_the_way(player) == {
        "givenUp": {
            "balance": 100,
            "vault": 0,
            "sweepstake": 0,
            "commission": 0,
            "prizes": 0,
            "battles": 0,
            "deposits": 0,
        },
        "mustEnd": {"battles": 0, "withdrawals": 0, "deposits": 0, "prizes": 0},
    }


@pytest.mark.settings(TWO_FACTOR_REQUIRED_FOR="trade-url")
def test_closing_needs_a_code_where_a_trade_url_does(close, player, authenticator, send):
    assert close(player, ALL) == (403, {"error": "Two-factor code required"})

    headers = {"X-2FA-Code": authenticator.code()}
    assert send(player, "POST", "/profile/close", ALL, headers=headers) == CLOSED


def test_an_excluded_player_may_close(close, player, run):
    run("users", "exclude", player.platform_id, "permanent")

    assert close(player, ALL) == CLOSED


def test_the_player_is_in_no_public_list(close, player, client, app, add_item, run):
    play_spin(app, player, add_item(price=10))
    assert client.get("/leaderboard").json != []

    close(player, ALL)

    assert client.get("/leaderboard").json == []
    assert client.get("/stats/live-bets").json["data"]["bets"] == []
    assert run("ledger", "audit")["mismatches"] == 0


def test_the_name_stays_taken(close, player, new_player, send):
    close(player, ALL)

    bob = new_player("bob")

    assert send(bob, "PUT", "/profile/details", {"username": player.username})[0] == 400


def test_a_promo_code_of_a_closed_account_is_invalid(close, player, new_player, send):
    send(player, "POST", "/affiliate/set-code", {"code": "ALICE1"})
    close(player, ALL)

    status, answer = send(new_player("bob"), "POST", "/affiliate/use-code", {"code": "ALICE1"})

    assert (status, answer["message"]) == (400, "Promo code is invalid")


def test_an_operator_reopens_the_account_without_the_coins(close, player, run, client, fails):
    close(player, ALL)
    assert "reopen" in fails("users", "resume", player.platform_id)

    reopened = run("users", "reopen", player.platform_id, "--reason", "closed by mistake")

    assert reopened == {"platformid": player.platform_id, "closedAt": None}
    assert client.get("/auth/me", headers=player.headers).status_code == 401
    token = run("users", "token", player.platform_id)["token"]
    shown = client.get("/auth/me", headers={"Authorization": f"Bearer {token}"})
    assert (shown.status_code, shown.json["balance"]) == (200, 0)
    assert run("ledger", "audit")["mismatches"] == 0
    assert "not closed" in fails("users", "reopen", player.platform_id, "--reason", "once more")


@pytest.mark.parametrize(
    "command",
    [
        ("users", "adjust", "{}", "5", "--reason", "a present"),
        ("payments", "record", "{}", "deposit", "5"),
        ("notifications", "send", "{}", "Hello", "Are you there?"),
    ],
)
def test_a_closed_account_gets_nothing(close, player, run, fails, command):
    close(player, ALL)

    said = fails(*(part.format(player.platform_id) for part in command))

    assert "Account closed" in said
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("models/users.py")
def test_of_two_requests_at_once_one_closes_the_account(app, player):
    def close(_number):
        answer = app.test_client().post("/profile/close", json=ALL, headers=player.headers)
        return answer.status_code

    with ThreadPoolExecutor(4) as pool:
        statuses = sorted(pool.map(close, range(4)))

    assert statuses[0] == 200
    assert set(statuses[1:]) <= {401, 403}
    assert entries("account-closed") == [("balance", -100_00), ("house.forfeited", 100_00)]


@pytest.mark.both_databases("models/migrations/0001_accounts.py")
def test_coins_that_come_meanwhile_are_not_lost(app, player, run):
    """A grant and a closing at once: the grant is forfeited too, or refused."""

    def close():
        app.test_client().post("/profile/close", json=ALL, headers=player.headers)

    def grant():
        app.test_cli_runner().invoke(
            args=["users", "adjust", player.platform_id, "5", "--reason", "at the same time"]
        )

    with ThreadPoolExecutor(8) as pool:
        for work in [grant, grant, close, grant, grant, close]:
            pool.submit(work)

    with reading():
        user = User.get_by_id(player.id)
    assert (user.balance_cents, user.closed_at_ms is None) == (0, False)
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("services/closing/closing.py")
def test_a_closing_among_bets_and_claims_loses_nothing(app, player, add_item, run):
    """Each is made before the closing and counts, or is refused."""
    item = add_item(price=10)
    for _ in range(3):
        win_prize(app, player)
    change = run("users", "adjust", player.platform_id, "50", "--reason", "to lose")
    assert change["balance"] == 100 - 3 * 5 + 50

    def spin():
        play_spin(app, player, item, token_number=0)

    def request(path, body):
        return lambda: app.test_client().post(path, json=body, headers=player.headers)

    sell = [request(f"/prizes/{number}/sell", {}) for number in (1, 2, 3)]
    works = [spin, *sell, request("/profile/close", ALL), spin, request("/profile/close", ALL), spin]
    with ThreadPoolExecutor(len(works)) as pool:
        for work in works:
            pool.submit(work)
    run_again = app.test_client().post("/profile/close", json=ALL, headers=player.headers)

    assert run_again.status_code in (200, 401)
    with reading():
        user = User.get_by_id(player.id)
    assert (user.balance_cents, user.closed_at_ms is None) == (0, False)
    assert run("ledger", "audit")["mismatches"] == 0


def test_the_audit_reports_coins_that_were_not_given_up_by_a_closing(close, player, app):
    close(player, ALL)
    with reading():
        transaction = LedgerTransaction.select().order_by(LedgerTransaction.id.desc()).get().id
    line = f"transaction {transaction} forfeits what is not of a closed account"
    tampered = [
        ("UPDATE ledger_transactions SET kind = 'adjustment' WHERE kind = 'account-closed'", [line]),
        ("UPDATE ledger_entries SET account = 'house.grants' WHERE account = 'house.forfeited'", [line]),
    ]

    check_reports(app, tampered, ids={}, names={})


def test_the_database_refuses_a_closed_account_with_coins(close, player, app):
    close(player, ALL)

    with pytest.raises(Exception, match="users_closed"), writing():
        User.update(balance_cents=1).where(User.id == player.id).execute()


def test_a_closing_that_was_interrupted_is_repeated(app, player, close, monkeypatch, client):
    win_prize(app, player)
    monkeypatch.setattr("services.closing.closing.access.close", lambda **_: 1 / 0)
    app.testing = False
    app.config["PROPAGATE_EXCEPTIONS"] = False
    assert close(player, ALL)[0] == 500
    assert client.get("/auth/me", headers=player.headers).json["balance"] == 120
    monkeypatch.undo()

    assert close(player, ALL) == CLOSED


def test_sockets_of_the_player_become_spectators(close, connect, app):
    player = create_player(app, "carol", coins=0)
    socket = connect(player)
    socket.expect("balance")

    close(player)

    assert socket.spin({"amount": 1, "item": "x"}) == {"status": False, "error": "Unauthorized"}
