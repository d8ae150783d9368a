"""flask payments reconcile: the provider's books and ours agree, or there is a discrepancy."""

import json
from decimal import Decimal

import pytest

from tests.blueprints.payments.conftest import ADDRESS, NOW
from tests.harness.btcpay.faults import Fault


@pytest.mark.both_databases("money postings")
def test_nothing_is_found_after_everything_has_happened(
    deposit,
    credited,
    in_review,
    completed,
    withdraw,
    fake,
    invoice_of,
    payout_of,
    poll,
    send_payouts,
    reconcile,
    run,
):
    credited()
    credited(10, Decimal("12.34"))
    run("payments", "credit", in_review()["id"], "4.50", "--reason", "as it came")
    run("payments", "fail", in_review()["id"], "--reason", "sent back")
    in_review()
    completed()
    waiting, unpaid, late, invalid = (deposit(10) for _ in range(4))
    fake.pay(invoice_of(waiting), status="Processing")
    fake.expire(invoice_of(unpaid))
    fake.pay_late(invoice_of(late))
    fake.invalidate(invoice_of(invalid))
    poll()
    cancelled, _, _ = withdraw(5, to=fake.address("b")), withdraw(5, to="nonsense"), withdraw(5)
    send_payouts(3)
    fake.cancel(payout_of(cancelled))
    send_payouts(3)

    assert reconcile() == (12, [])


def test_a_discrepancy_shows_both_sides_and_fails_the_command(app, credited, invoice_of, fake, clock):
    made = credited()
    fake.invalidate(invoice_of(made))
    clock.advance(minutes=6)

    result = app.test_cli_runner().invoke(args=["payments", "reconcile"])

    discrepancy = {"id": made["id"], "kind": "deposit", "ours": "credited 25.00"}
    discrepancy["theirs"] = "Invalid, Marked 25.00, paid 25.00"
    assert json.loads(result.stdout) == {"checked": 1, "findings": [discrepancy]}
    assert result.stderr.splitlines() == [f"deposit {made['id']}", "Error: 1 discrepancies"]
    assert result.exit_code == 1


def test_an_invoice_that_the_provider_has_lost_is_found(credited, invoice_of, fake, reconcile):
    made = credited()
    fake.forget(invoice_of(made))

    assert reconcile() == (0, [("invoice-missing", made["id"])])


def test_a_payout_that_the_provider_has_lost_is_found(completed, payout_of, fake, reconcile):
    made = completed()
    fake.forget(payout_of(made).id)

    assert reconcile() == (0, [("payout-missing", made["id"])])


def test_a_payout_still_open_after_the_withdrawal_is_found(
    withdraw, send_payouts, payout_of, fake, reconcile, status_of
):
    made = withdraw()
    send_payouts()
    payout = payout_of(made)
    fake.cancel(payout)
    send_payouts()
    assert status_of(made) == "failed"
    with fake.state.changing():
        fake.state.move_payout(payout, "AwaitingApproval")

    assert reconcile() == (1, [("withdrawal", made["id"]), ("second-payout", payout.id)])
    send_payouts()

    assert payout.state == "Cancelled"
    assert reconcile() == (1, [])


def test_a_payout_that_nothing_follows_is_found(withdraw, send_payouts, payout_of, fake, reconcile, services):
    made = withdraw()
    send_payouts()
    fake.complete(payout_of(made))
    # The next step is overdue, as when no process sends.
    assert reconcile() == (1, [("withdrawal", made["id"])])

    services.payout_sender.run(now=NOW + 24 * 3600 * 1000)

    assert reconcile() == (1, [])


def test_what_has_changed_within_five_minutes_is_left_out(app, credited, invoice_of, fake, run, clock):
    fake.invalidate(invoice_of(credited()))

    clock.advance(minutes=4, seconds=59)
    assert run("payments", "reconcile")["findings"] == []

    clock.advance(seconds=1)
    assert app.test_cli_runner().invoke(args=["payments", "reconcile"]).exit_code == 1


def test_an_unknown_payout_shows_what_staff_need_to_record_it(
    app, withdraw, fake, payout_of, send_payouts, clock, player
):
    made = withdraw()
    send_payouts()
    txhash = fake.complete(payout_of(made))
    payout_of(made).metadata["withdrawalId"] = "lost"
    fake.state.touch(fake.payouts[0])
    clock.advance(minutes=6)

    printed = app.test_cli_runner().invoke(args=["payments", "reconcile"]).stdout

    (found,) = [each for each in json.loads(printed)["findings"] if each["kind"] == "unknown-payout"]
    assert found == {
        "id": fake.payouts[0].id,
        "kind": "unknown-payout",
        "ours": "no withdrawal",
        "theirs": f"Completed 25.00 USD, transaction {txhash}",
        "platformid": player.platform_id,
        "address": ADDRESS,
    }


def test_an_unknown_invoice_names_its_player(app, deposit, fake, invoice_of, clock, player):
    invoice = fake.invoice(invoice_of(deposit()))
    invoice.metadata["orderId"] = "lost"
    fake.pay(invoice.id)
    clock.advance(minutes=6)

    printed = app.test_cli_runner().invoke(args=["payments", "reconcile"]).stdout

    shown = {each["kind"]: each.get("platformid") for each in json.loads(printed)["findings"]}
    assert shown["unknown-invoice"] == player.platform_id


@pytest.mark.parametrize("operation", ["list invoices", "list store payouts"])
def test_a_provider_that_does_not_answer_is_one_line(operation, fake, fails, credited):
    credited()
    fake.faults.next(operation, Fault.UNAVAILABLE)

    assert fails("payments", "reconcile") == "Error: the provider answered with status 503"


def test_many_invoices_are_read_page_by_page(credited, fake, reconcile):
    credited()
    for number in range(210):
        fake.stranger_invoice(f"another shop's {number}")

    assert reconcile() == (211, [])
    assert fake.api.requests.count("list invoices") == 3
