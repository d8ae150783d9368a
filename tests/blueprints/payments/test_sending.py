"""An approved withdrawal is sent, and ends when it was paid or cancelled."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerEntry
from tests.blueprints.payments.conftest import ADDRESS
from tests.harness.btcpay.fake import CHAIN


@pytest.fixture
def posted(app):
    """All entries of the ledger but those of the players' first coins."""
    columns = (LedgerEntry.account, LedgerEntry.amount_cents)
    query = LedgerEntry.select(*columns).where(LedgerEntry.transaction > 1).order_by(LedgerEntry.id)
    return reading()(lambda: set(query.tuples()))


def test_a_withdrawal_is_sent_and_completed_when_it_was_paid(
    withdraw, send_payouts, payout_of, fake, status_of, shown, balance
):
    made = withdraw()
    seen = [made["status"]]

    send_payouts()
    seen.append(status_of(made))
    fake.start_payment(payout_of(made), txhash="ab" * 32)
    send_payouts()
    seen.append(status_of(made))
    fake.complete(payout_of(made))
    send_payouts()

    assert shown(made) == made | {"status": "completed", "txhash": "ab" * 32}
    assert (seen, balance()) == (["approved", "sent", "sent"], 75)
    assert [(each.usd, each.destination) for each in fake.ledger.paid] == [(25, ADDRESS)]


def test_a_payout_is_in_usd_and_has_our_id_and_the_player(withdraw, send_payouts, payout_of, fake, player):
    made = withdraw(60.5)

    send_payouts()

    payout = payout_of(made)
    assert (payout.pull_payment_id, payout.currency, payout.amount) == (fake.pull_payment.id, "USD", 60.5)
    assert (payout.destination, payout.method, payout.metadata) == (
        ADDRESS,
        CHAIN,
        {"withdrawalId": made["id"], "platformid": player.platform_id},
    )


@pytest.mark.both_databases("money postings")
def test_a_completed_withdrawal_is_a_payment_and_leaves_the_ledger(
    withdraw, send_payouts, payout_of, fake, client, player, posted, titles, events
):
    made = withdraw()
    send_payouts()
    fake.complete(payout_of(made), txhash="ab" * 32)

    send_payouts()

    (payment,) = client.get("/stats/payments", headers=player.headers).json["data"]["payments"]
    assert [payment[name] for name in ("type", "chain", "asset", "usdAmount", "txhash", "to")] == [
        "withdraw",
        CHAIN,
        "BTC",
        25,
        "ab" * 32,
        ADDRESS,
    ]
    assert client.get("/stats/profile", headers=player.headers).json["withdrawAmount"] == 25
    held, out = {("balance", -2500), ("house.held", 2500)}, {("house.held", -2500), ("house.payments", 2500)}
    assert posted() == held | out
    assert titles() == ["Withdrawal sent"]
    assert events() == ["withdrawal.requested", "withdrawal.approved", "withdrawal.completed"]


@pytest.mark.both_databases("money postings")
def test_the_coins_come_back_once_when_the_payout_is_cancelled(
    withdraw, send_payouts, payout_of, fake, status_of, balance, posted, titles, events, statistics
):
    made = withdraw()
    send_payouts()
    fake.cancel(payout_of(made))

    send_payouts(3)

    assert (status_of(made), balance(), statistics()) == ("failed", 100, [])
    assert posted() == {("balance", -2500), ("house.held", 2500), ("house.held", -2500), ("balance", 2500)}
    assert titles() == ["Withdrawal not possible"]
    assert events() == ["withdrawal.requested", "withdrawal.approved", "withdrawal.failed"]


def test_a_payout_that_staff_paid_in_another_way_is_completed(
    withdraw, send_payouts, payout_of, fake, shown, statistics
):
    made = withdraw()
    send_payouts()
    fake.complete(payout_of(made), is_known=False)

    send_payouts()

    assert shown(made) == made | {"status": "completed", "txhash": None}
    assert statistics() == [("withdraw", 25, "")]


@pytest.mark.settings(BTCPAY_PAYOUT_METHODS="BTC-CHAIN,BTC-LN")
def test_a_withdrawal_over_lightning_names_its_method(withdraw, send_payouts, payout_of, fake, shown):
    made = withdraw(method="BTC-LN", to="alice@example.com")
    send_payouts()
    fake.complete(payout_of(made))
    send_payouts()

    assert payout_of(made).method == "BTC-LN"
    assert shown(made)["status"] == "completed"


@pytest.mark.settings(BTCPAY_PAYOUT_METHODS="BTC-LN")
def test_the_longest_address_can_be_paid(withdraw, send_payouts, payout_of, fake, shown, client, player):
    longest = f"{'a' * 244}@example.com"
    made = withdraw(method="BTC-LN", to=longest)
    send_payouts()
    fake.complete(payout_of(made))

    send_payouts()

    assert (len(longest), shown(made)["status"]) == (256, "completed")
    (payment,) = client.get("/stats/payments", headers=player.headers).json["data"]["payments"]
    # The history of payments shows as much of an address as its column holds.
    assert payment["to"] == longest[:128]


def test_the_provider_is_asked_less_and_less_often(withdraw, send_payouts, fake, services, clock):
    withdraw()
    send_payouts()
    asked = len(fake.api.requests)

    for _ in range(600):
        clock.advance(seconds=1)
        services.payout_sender.run(now=clock())

    # In the seconds 1, 2, 3, 4, 5, 7, 11, 18, 31, 57, 109, 212 and 417.
    assert len(fake.api.requests) - asked == 13


@pytest.fixture
def without(make_app, clock, settings):
    """The services of the app after a restart with other payment methods."""
    return make_app(clock=clock, **settings | {"PAYMENT_METHODS": ""}).extensions["services"]


def test_a_withdrawal_waits_for_its_provider(
    withdraw, fake, without, clock, end_lease, send_payouts, status_of, balance
):
    made = withdraw()

    without.payout_sender.run(now=clock())
    end_lease()

    assert (status_of(made), balance(), fake.payouts) == ("approved", 75, [])
    send_payouts()
    assert status_of(made) == "sent"
