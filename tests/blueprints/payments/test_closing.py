"""Closing an account with deposits and withdrawals, and money that comes for a closed one."""

import pytest

ALL = {"forfeit": True}
CLOSED = (200, {"success": True})


@pytest.fixture
def close(ask):
    """Closes the player's account; status and body."""
    return lambda body=None: ask("POST", "/profile/close", body)


@pytest.fixture
def statuses(run):
    """The statuses of all deposits and withdrawals, as operators see them."""

    def get():
        listed = run("payments", "list", "--status", "all")
        return [each["status"] for each in (listed if isinstance(listed, list) else [listed])]

    return get


def test_an_unpaid_deposit_is_cancelled(close, deposit, run):
    deposit()
    assert close() == (400, {"error": "Withdraw your balance first"})

    assert close(ALL) == CLOSED

    names = [event["what"] for event in run("audit", "export")[1:]]
    assert names[-2:] == ["deposit.cancelled", "account.closed"]


@pytest.mark.both_databases("services/payments/deposits.py")
def test_money_that_comes_for_a_closed_account_is_for_staff(
    close, deposit, fake, invoice_of, poll, run, fails
):
    made = deposit()
    close(ALL)
    fake.pay(invoice_of(made))

    poll()

    listed = run("payments", "list")
    assert (listed["id"], listed["status"]) == (made["id"], "review")
    said = fails("payments", "credit", made["id"], "25", "--reason", "the player asked")
    assert "Account closed" in said


def test_a_deposit_that_is_being_paid_must_end_first(close, deposit, fake, invoice_of, poll):
    made = deposit()
    fake.pay(invoice_of(made), status="Processing")
    poll()

    assert close(ALL) == (400, {"error": "Wait until your deposits are credited"})


def test_a_deposit_that_was_paid_in_part_must_end_first(close, deposit, fake, invoice_of, poll):
    fake.pay(invoice_of(deposit()), 1)
    poll()

    assert close(ALL) == (400, {"error": "Wait until your deposits are credited"})


def test_a_withdrawal_must_be_paid_first(close, withdraw, fake, payout_of, send_payouts, balance):
    made = withdraw(balance())
    assert close() == (400, {"error": "Withdraw your balance first"})
    assert close(ALL) == (400, {"error": "Wait until your withdrawals are paid"})
    send_payouts()
    fake.complete(payout_of(made))
    send_payouts()

    assert close() == CLOSED


def test_a_deposit_that_is_credited_while_the_account_closes_is_forfeited_or_for_staff(
    close, credited, run, player
):
    credited(25)

    assert close(ALL) == CLOSED

    shown = run("users", "show", player.platform_id)
    assert (shown["balance"], shown["closedAt"] is None) == (0, False)
