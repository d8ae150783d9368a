"""POST and GET /payments/withdrawals: what is held, what is answered, and what is refused."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerEntry
from tests.blueprints.payments.conftest import ADDRESS, NOW
from tests.harness.spins import play_spin
from tests.support.at_once import all_at_once
from tests.support.client_seeds import client_seed_that

NOT_FOUND = (404, {"error": "Payment not found"})
UNKNOWN_METHOD = (400, {"error": "Unknown payment method"})
INVALID = (400, {"error": "Invalid amount"})
OUTSIDE = (400, {"error": "Amount is outside the limits of this method"})
BAD_ADDRESS = (400, {"error": "Invalid address"})
INSUFFICIENT = (400, {"error": "Insufficient balance"})

for_staff = pytest.mark.settings(WITHDRAWAL_AUTO_APPROVE="0")


@pytest.fixture
def held(app):
    """The coins in cents that the house holds, by the ledger."""
    query = LedgerEntry.select(LedgerEntry.amount_cents).where(LedgerEntry.account == "house.held")
    return reading()(lambda: sum(cents for (cents,) in query.tuples()))


@for_staff
def test_a_request_holds_the_coins_and_shows_the_withdrawal(withdraw, shown, balance, held, titles):
    made = withdraw(25.5)

    assert len(made.pop("id")) == 32
    assert made == {
        "method": "BTC-CHAIN",
        "status": "requested",
        "amount": 25.5,
        "to": ADDRESS,
        "txhash": None,
        "createdAt": NOW,
    }
    assert (balance(), held(), titles()) == (74.5, 2550, [])


@for_staff
def test_a_withdrawal_is_shown_to_its_player_only(withdraw, shown, ask, new_player):
    made = withdraw()

    assert shown(made) == made
    assert ask("GET", f"/payments/withdrawals/{made['id']}", by=new_player("bob")) == NOT_FOUND
    assert ask("GET", f"/payments/deposits/{made['id']}") == NOT_FOUND
    assert ask("GET", "/payments/withdrawals/none") == NOT_FOUND


@pytest.mark.regulation("RTS 14B: no cancelled withdrawals")
@for_staff
def test_a_player_cannot_cancel_a_withdrawal(withdraw, ask, status_of, balance):
    made = withdraw()

    answers = [ask(method, f"/payments/withdrawals/{made['id']}") for method in ("DELETE", "PUT", "PATCH")]

    assert [status for status, _ in answers] == [405] * 3
    assert ask("POST", f"/payments/withdrawals/{made['id']}/cancel")[0] == 404
    assert (status_of(made), balance()) == ("requested", 75)


def test_more_than_the_balance_is_refused_and_nothing_is_held(post_withdrawal, withdraw, balance, held):
    assert post_withdrawal(100.01) == INSUFFICIENT
    assert (balance(), held()) == (100, 0)

    withdraw(100)

    assert post_withdrawal(1) == INSUFFICIENT
    assert (balance(), held()) == (0, 10_000)


@pytest.mark.both_databases("a race")
def test_withdrawals_at_once_never_exceed_the_balance(post_withdrawal, balance, held):
    answers = all_at_once([lambda: post_withdrawal(30)] * 6)

    assert sorted(status for status, _ in answers) == [201] * 3 + [400] * 3
    assert (balance(), held()) == (10, 9000)


def test_bad_methods_and_amounts_are_refused(post_withdrawal, balance):
    for method in ("cash", "btcpay", "demo", "", None, 5, ["BTC-CHAIN"]):
        assert post_withdrawal(method=method) == UNKNOWN_METHOD
    for amount in (0, -1, 25.001, 1e9 + 1, "25", True, None):
        assert post_withdrawal(amount) == INVALID
    for amount in (0.99, 10_000.01, 1e9):
        assert post_withdrawal(amount) == OUTSIDE
    assert balance() == 100


@for_staff
def test_an_address_has_1_to_256_printable_characters(post_withdrawal, balance):
    for to in (
        "",
        "x" * 257,
        " padded",
        "padded ",
        "two\nlines",
        "\u200b",
        5,
        None,
        [ADDRESS],
    ):
        assert post_withdrawal(1, to=to) == BAD_ADDRESS
    assert balance() == 100
    for to in ("x", "~" * 256, "name@example.com", "Straße 5"):
        status, body = post_withdrawal(1, to=to)
        assert (status, body["withdrawal"]["to"]) == (201, to)


@for_staff
def test_a_player_with_2fa_needs_a_code(post_withdrawal, authenticator, balance, clock):
    assert post_withdrawal() == (403, {"error": "Two-factor code required"})
    assert post_withdrawal(code=authenticator.wrong()) == (400, {"error": "Invalid 2FA code"})
    assert balance() == 100

    assert post_withdrawal(code=authenticator.code())[0] == 201


@pytest.fixture
def wager(app, add_item, player):
    """Loses so many coins of the player."""
    item = add_item(price=1000)

    def lose(coins):
        seed = client_seed_that(False, app=app, player=player, wager=coins, price=1000)
        play_spin(app, player, item, amount=coins, client_seed=seed)

    return lose


@pytest.mark.both_databases("services/payments/withdrawals.py")
@for_staff
@pytest.mark.settings(WITHDRAWAL_MIN_WAGERED="0.5")
def test_a_part_of_all_deposits_must_be_wagered_first(
    wager, post_withdrawal, run, player, deposit, fake, invoice_of, poll, balance
):
    run("payments", "record", player.platform_id, "deposit", "10.01")
    fake.pay(invoice_of(deposit(20)))
    poll()

    assert post_withdrawal() == (400, {"error": "Wager your deposits first", "missing": 15.01})

    wager(15)
    assert post_withdrawal() == (400, {"error": "Wager your deposits first", "missing": 0.01})
    wager(1)
    assert post_withdrawal()[0] == 201


CAN_NOT_PLAY = [
    ("POST", "/limits/exclusion", {"duration": "24h"}),
    ("POST", "/limits/exclusion", {"duration": "permanent"}),
    ("PUT", "/limits", {"kind": "wager", "period": "month", "value": 0}),
    ("PUT", "/limits", {"kind": "loss", "period": "day", "value": 0}),
]


@for_staff
@pytest.mark.settings(WITHDRAWAL_MIN_WAGERED="1")
@pytest.mark.parametrize("request_", CAN_NOT_PLAY, ids=["break", "exclusion", "wager limit", "loss limit"])
def test_who_can_not_play_need_not_wager(send, post_withdrawal, run, player, request_):
    run("payments", "record", player.platform_id, "deposit", "10")
    assert post_withdrawal()[0] == 400

    assert send(player, *request_)[0] == 200

    assert post_withdrawal()[0] == 201


@for_staff
@pytest.mark.settings(WITHDRAWAL_MIN_WAGERED="1")
@pytest.mark.parametrize(("kind", "value"), [("wager", 0.01), ("deposit", 0)])
def test_who_can_still_play_must_wager(send, post_withdrawal, run, player, kind, value):
    run("payments", "record", player.platform_id, "deposit", "10")
    send(player, "PUT", "/limits", {"kind": kind, "period": "day", "value": value})

    assert post_withdrawal()[0] == 400
