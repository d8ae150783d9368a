"""What a credited deposit changes: once, and everywhere."""

import pytest

from models.db.connection import reading
from models.ledger import LedgerEntry
from services.payments import deposits
from tests.harness.btcpay.fake import CHAIN
from tests.support.at_once import all_at_once


@pytest.fixture
def pay(deposit, fake, invoice_of):
    """Makes a deposit whose money has come."""

    def paid(amount=25, *, by=None, **how):
        made = deposit(amount) if by is None else deposit(amount, by=by)
        fake.pay(invoice_of(made), **how)
        return made

    return paid


@pytest.fixture
def posted(app):
    """The entries of the house's accounts of payments."""
    accounts = ("house.payments", "house.held")
    query = LedgerEntry.select(LedgerEntry.account, LedgerEntry.amount_cents)
    return reading()(lambda: list(query.where(LedgerEntry.account.in_(accounts)).tuples()))


def test_a_credited_deposit_is_in_the_history_of_payments(pay, poll, client, player, shown):
    made = pay(txhash="ab" * 32)

    poll()

    (payment,) = client.get("/stats/payments", headers=player.headers).json["data"]["payments"]
    satoshis = payment.pop("amount")
    assert 0.00038 < float(satoshis) < 0.0004
    assert (payment.pop("_id").isdigit(), payment.pop("date") > made["createdAt"]) == (True, True)
    assert payment == {
        "type": "deposit",
        "chain": CHAIN,
        "asset": "BTC",
        "usdAmount": 25,
        "txhash": "ab" * 32,
        "to": "",
    }
    assert client.get("/stats/profile", headers=player.headers).json["depositAmount"] == 25


def test_a_credited_deposit_notifies_and_is_in_the_audit_trail(pay, poll, titles, run, player):
    made = pay()

    poll()

    assert titles() == ["Deposit credited"]
    created, credited = [
        event for event in run("audit", "export")[1:] if event["what"].startswith("deposit.")
    ]
    assert (created["what"], created["who"], created["player"]) == (
        "deposit.created",
        player.platform_id,
        player.platform_id,
    )
    assert created["after"] == {"deposit": made["id"], "method": "btcpay", "amountCents": 2500}
    assert (credited["what"], credited["player"]) == ("deposit.credited", player.platform_id)
    assert credited["after"].pop("payment") > 0
    assert credited["after"] == {"deposit": made["id"], "amountCents": 2500}


@pytest.mark.both_databases("a race")
def test_a_deposit_is_credited_once_when_many_processes_poll(
    pay, services, clock, balance, statistics, posted, make_app, settings, status_of
):
    made = [pay(10) for _ in range(3)]
    others = [make_app(clock=clock, **settings).extensions["services"] for _ in range(2)]
    clock.advance(seconds=11)

    all_at_once([each.payment_polling.run for each in [services, *others]] * 2)

    assert [status_of(each) for each in made] == ["credited"] * 3
    assert (balance(), len(statistics())) == (130, 3)
    assert posted() == [("house.payments", -1000)] * 3


@pytest.mark.both_databases("a race")
def test_a_deposit_that_all_follow_at_once_is_credited_once(
    pay, services, clock, balance, statistics, posted
):
    row = deposits.get(pay()["id"])
    invoice = services.payment_methods.providers["btcpay"].invoice(row.invoice_id, seconds=10)

    all_at_once([lambda: services.deposits.follow(row, invoice, now=clock())] * 6)

    assert (balance(), len(statistics()), posted()) == (125, 1, [("house.payments", -2500)])


def test_a_transaction_that_is_recorded_already_is_for_staff(
    pay, poll, status_of, balance, run, player, statistics
):
    run("payments", "record", player.platform_id, "deposit", "25", "--txhash", "0x" + "AB" * 32)
    made = pay(txhash="ab" * 32)

    poll()

    assert (status_of(made), balance()) == ("review", 125)
    (listed,) = [run("payments", "list", "--status", "review")]
    assert listed["reason"] == "a payment with this txhash is recorded already"
    assert len(statistics()) == 1


@pytest.mark.both_databases("services/payments/transfers.py")
def test_two_outputs_of_one_transaction_are_two_payments(pay, poll, status_of, balance, statistics):
    made = [pay(10, txhash="cd" * 32) for _ in range(2)]

    poll()

    assert [status_of(each) for each in made] == ["credited", "credited"]
    assert (balance(), statistics()) == (120, [("deposit", 10, "cd" * 32)] * 2)


@pytest.mark.parametrize(("output", "status"), [("", "review"), ("-0", "review"), ("-1", "credited")])
def test_a_transaction_that_was_recorded_by_hand_counts_for_all_of_its_outputs(
    output, status, pay, poll, status_of, run, player
):
    run("payments", "record", player.platform_id, "deposit", "25", "--txhash", f"0x{'AB' * 32}{output}")
    made = pay(txhash="ab" * 32)

    poll()

    assert status_of(made) == status


def test_a_transaction_of_which_an_output_was_credited_is_not_recorded_again(
    pay, poll, run, fails, player, balance
):
    made = [pay(amount, txhash="ab" * 32) for amount in (10, 20)]
    poll()
    record = ("payments", "record", player.platform_id, "deposit")

    run(*record, "20", "--txhash", "ab" * 32)

    assert fails(*record, "30", "--txhash", "ab" * 32) == (
        "Error: this txhash is recorded already, with another USD"
    )
    assert (balance(), len(made)) == (130, 2)


def test_an_output_and_its_transaction_recorded_by_hand_at_once_count_once(
    pay, services, clock, run, player, app, statistics, status_of
):
    made = pay(25, txhash="ab" * 32)
    clock.advance(seconds=11)
    by_hand = ["payments", "record", player.platform_id, "deposit", "25", "--txhash", "ab" * 32]
    runner = app.test_cli_runner()

    all_at_once([services.payment_polling.run, lambda: runner.invoke(args=by_hand)] * 3)

    assert len(statistics()) == 1
    assert status_of(made) in ("credited", "review")
