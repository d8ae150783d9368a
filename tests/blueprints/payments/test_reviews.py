"""flask payments credit and fail: staff decide about deposits in review."""

import json

import pytest

from tests.support.at_once import all_at_once


@pytest.fixture
def discrepancies(app, clock):
    """Reconciles when nothing is recent; the discrepancies as the command prints them."""

    def run():
        clock.advance(minutes=6)
        printed = app.test_cli_runner().invoke(args=["payments", "reconcile"]).stdout
        return json.loads(printed)["findings"]

    return run


def test_staff_credit_a_deposit_with_the_amount_that_they_decide(
    in_review, run, balance, shown, titles, statistics
):
    made = in_review(25, 10)

    printed = run("payments", "credit", made["id"], "9.99", "--reason", " what came, less a fee ")

    assert (printed["status"], printed["credited"], printed["reason"]) == (
        "credited",
        9.99,
        "what came, less a fee",
    )
    assert shown(made) == made | {"status": "credited", "credited": 9.99, "paidAmount": 10}
    assert (balance(), titles(), statistics()) == (109.99, ["Deposit credited"], [("deposit", 9.99, "")])


@pytest.fixture
def decided(in_review, run):
    """Two deposits of which 10 had come when staff decided: one failed, one credited."""

    failed, credited = in_review(), in_review()
    run("payments", "fail", failed["id"], "--reason", "sent back")
    run("payments", "credit", credited["id"], "9.99", "--reason", "as it came, less a fee")
    return failed, credited


def test_after_a_decision_the_state_of_the_invoice_does_not_matter(
    decided, fake, invoice_of, poll, reconcile, status_of, balance
):
    for made in decided:
        fake.mark_settled(invoice_of(made))
    poll()

    assert reconcile() == (2, [])
    assert [status_of(each) for each in decided] == ["failed", "credited"]
    assert balance() == 109.99


def test_money_after_a_decision_is_a_discrepancy_until_it_is_dismissed(
    decided, fake, invoice_of, discrepancies, run, balance, shown
):
    for made in decided:
        fake.pay(invoice_of(made), 15)

    found = {each["id"]: (each["kind"], each["ours"], each["theirs"]) for each in discrepancies()}

    failed, credited = (made["id"] for made in decided)
    assert found == {
        failed: ("deposit", "failed, credited 0.00", "paid 25.00"),
        credited: ("deposit", "credited, credited 9.99", "paid 25.00"),
    }
    assert [shown(made)["paidAmount"] for made in decided] == [25, 25]
    assert balance() == 109.99

    for made in decided:
        run("payments", "dismiss", "deposit", made["id"], "--reason", "paid back")
    assert discrepancies() == []

    fake.pay(invoice_of(decided[0]), 1)
    assert [(each["id"], each["theirs"]) for each in discrepancies()] == [(failed, "paid 26.00")]


def test_only_a_deposit_in_review_can_be_decided(deposit, credited, fails, balance):
    for made, status in ((deposit(), "pending"), (credited(), "credited")):
        for arguments in (("credit", made["id"], "5"), ("fail", made["id"])):
            said = fails("payments", *arguments, "--reason", "so")
            assert said == f"Error: the deposit is {status}, not review"
    assert balance() == 125


@pytest.mark.both_databases("a race")
def test_one_of_many_decisions_at_once_counts(app, in_review, balance, status_of):
    made = in_review()
    runner = app.test_cli_runner()

    def decide(*arguments):
        return runner.invoke(args=["payments", *arguments, "--reason", "so"]).exit_code

    codes = all_at_once([lambda: decide("credit", made["id"], "10"), lambda: decide("fail", made["id"])] * 3)

    assert sorted(codes) == [0] + [1] * 5
    assert balance() == {"credited": 110, "failed": 100}[status_of(made)]


def test_a_reason_an_amount_and_a_known_deposit_are_needed(in_review, fails, status_of):
    made = in_review()

    assert fails("payments", "fail", made["id"], "--reason", " ").startswith("Error: the reason must be")
    assert "Missing option '--reason'" in fails("payments", "credit", made["id"], "5")
    assert fails("payments", "credit", made["id"], "0", "--reason", "so") == "Error: USD must be more than 0"
    assert "must be an amount" in fails("payments", "credit", made["id"], "1.001", "--reason", "so")
    assert fails("payments", "credit", "none", "5", "--reason", "so") == "Error: Payment not found"
    assert fails("payments", "fail", "none", "--reason", "so") == "Error: Payment not found"
    assert status_of(made) == "review"


def test_decisions_are_in_the_audit_trail_with_their_reasons(in_review, run, player):
    credited, failed = in_review(), in_review()
    run("payments", "credit", credited["id"], "9.5", "--reason", "as it came")
    run("payments", "fail", failed["id"], "--reason", "sent back")

    first, second = run("audit", "export")[-2:]

    assert (first["what"], second["what"]) == ("deposit.credited", "deposit.failed")
    assert first["after"].pop("payment") > 0
    assert first["after"] == {"deposit": credited["id"], "amountCents": 950, "reason": "as it came"}
    assert second["after"] == {"deposit": failed["id"], "reason": "sent back"}
    assert {each["player"] for each in (first, second)} == {player.platform_id}
    assert {each["who"].partition(":")[0] for each in (first, second)} == {"operator"}
