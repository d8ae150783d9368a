"""flask users adjust: moves coins by hand, with a ledger transaction and an audit event."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerEntry
from services.shared.clock import now_ms
from services.shared.errors import InsufficientBalance
from services.wallet import adjusting
from tests.support.at_once import all_at_once

REASON = "refund of a failed purchase"


@pytest.fixture
def adjust(run, player):
    """Adjusts the balance of the player, who has 100 coins."""
    return lambda coins: run("users", "adjust", player.platform_id, coins, "--reason", REASON)


def entries(account):
    with reading():
        return list(LedgerEntry.select().where(LedgerEntry.account == account).order_by(LedgerEntry.id))


def test_an_adjusted_amount_is_in_the_ledger(adjust, run, player, balance):
    printed = [adjust("12.34"), adjust("-100.01"), adjust("-12.33")]

    line = {"platformid": player.platform_id}
    assert printed == [
        line | {"amount": 12.34, "balance": 112.34},
        line | {"amount": -100.01, "balance": 12.33},
        line | {"amount": -12.33, "balance": 0},
    ]
    assert balance() == 0
    assert [entry.amount_cents for entry in entries("house.adjustments")] == [-1234, 10_001, 1233]
    assert run("ledger", "audit")["mismatches"] == 0


@pytest.mark.both_databases("a race")
def test_one_of_two_concurrent_adjustments_of_the_same_coins_fails(app, player, balance):
    def take():
        try:
            return adjusting.adjust(user_id=player.id, amount=-60_00, reason=REASON, now=now_ms())
        except InsufficientBalance:
            return None

    assert sorted(all_at_once([take] * 2), key=str) == [40_00, None]
    assert balance() == 40


def test_an_adjustment_is_neither_a_payment_nor_a_bet(adjust, send, player, me):
    before = send(player, "GET", "/stats/profile"), me()["experience"]

    adjust("50")

    assert (send(player, "GET", "/stats/profile"), me()["experience"]) == before
    assert send(player, "GET", "/stats/payments")[1]["data"]["totalPayments"] == 0


def test_the_audit_trail_has_the_reason_and_both_balances(adjust, run, player):
    adjust("-0.50")

    event = run("audit", "export")[-1]

    assert (event["what"], event["player"]) == ("balance.adjusted", player.platform_id)
    assert event["before"] == {"balanceCents": 10_000}
    assert event["after"] == {"balanceCents": 9950, "amountCents": -50, "reason": REASON}
    assert event["who"].startswith("operator:")


def test_the_new_balance_reaches_the_sockets_of_the_player(connect, adjust, player):
    socket = connect(player)
    assert socket.expect("balance")["balance"] == 100

    adjust("-1")

    assert socket.expect("balance")["balance"] == 99


BAD_AMOUNTS = (
    "0",
    "0.001",
    "1.005",
    "1000000000.01",
    "-1000000000.01",
    "1e400",
    "NaN",
    "Infinity",
    "ten",
    "",
)
BAD_REASONS = ("", "  ", "x" * 201)


def test_a_bad_amount_reason_or_player_is_refused(fails, player, balance):
    def refused(platform_id=player.platform_id, coins="1", reason=REASON):
        return fails("users", "adjust", platform_id, coins, "--reason", reason)

    assert refused(coins="-100.01") == "Error: Insufficient balance"
    lines = [
        *(refused(coins=coins) for coins in BAD_AMOUNTS),
        *(refused(reason=reason) for reason in BAD_REASONS),
        refused(platform_id="76561198000000009"),
        fails("users", "adjust", player.platform_id, "-5"),
    ]

    assert [line for line in lines if len(line.splitlines()) != 1] == []
    assert "--reason" in lines[-1]
    assert balance() == 100
    assert entries("house.adjustments") == []
