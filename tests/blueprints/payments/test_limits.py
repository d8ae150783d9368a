"""Limits, breaks and suspensions: who may deposit, and how much."""

import pytest

from tests.blueprints.payments.conftest import NOW
from tests.support.at_once import all_at_once

DAY_MS = 24 * 3600 * 1000
MIDNIGHT = NOW + DAY_MS // 2
MONDAY = MIDNIGHT + 4 * DAY_MS
APRIL = MIDNIGHT + 13 * DAY_MS
SUSPENDED = (403, {"error": "Account suspended"})


def reached(period, resets_at):
    body = {"error": "Your limit is reached", "limit": "deposit", "period": period, "resetsAt": resets_at}
    return 400, body


@pytest.fixture
def limit(ask):
    """Sets a deposit limit of the player."""

    def put(value, period="day"):
        status, body = ask("PUT", "/limits", {"kind": "deposit", "period": period, "value": value})
        assert status == 200, body

    return put


@pytest.mark.both_databases("services/payments/deposits.py")
@pytest.mark.parametrize(("period", "end"), [("day", MIDNIGHT), ("week", MONDAY), ("month", APRIL)])
def test_a_deposit_above_the_limit_waits_for_the_next_period(
    period, end, limit, post_deposit, deposit, clock, fake
):
    limit(50, period)
    deposit(30)

    assert post_deposit(20.01) == reached(period, end)

    assert len(fake.invoices) == 1
    deposit(20)
    clock.now = end - 1
    assert post_deposit(1) == reached(period, end)
    clock.now = end
    deposit(50)


def test_the_shortest_period_whose_limit_is_exceeded_is_named(limit, post_deposit, deposit, clock):
    for period, value in (("month", 18), ("week", 15), ("day", 10)):
        limit(value, period)

    assert post_deposit(50) == reached("day", MIDNIGHT)
    deposit(10)
    clock.now = MIDNIGHT
    assert post_deposit(6) == reached("week", MONDAY)
    clock.now = MONDAY
    assert post_deposit(9) == reached("month", APRIL)


def test_open_deposits_count_as_asked_and_credited_ones_as_credited(
    limit, deposit, fake, invoice_of, poll, post_deposit
):
    limit(50)
    fake.pay(invoice_of(deposit(10)), 15)
    poll()

    assert post_deposit(35.01) == reached("day", MIDNIGHT)
    deposit(35)


@pytest.mark.parametrize(("paid", "status"), [(50, "credited"), (50.01, "review")])
def test_what_is_paid_above_the_limit_is_for_staff(
    paid, status, limit, deposit, fake, invoice_of, poll, shown, balance, run
):
    limit(50, "week")
    fake.pay(invoice_of(made := deposit(10)), paid)

    poll()

    credited = 50 if status == "credited" else 0
    assert (shown(made)["status"], shown(made)["paidAmount"], balance()) == (status, paid, 100 + credited)
    reasons = [each["reason"] for each in [run("payments", "list")]]
    why = "more was paid than asked, and more than the player's deposit limit leaves"
    assert reasons == ["" if status == "credited" else why]


@pytest.mark.settings(PAYMENTS_MAX_USD="50")
@pytest.mark.parametrize(("asked", "paid", "status"), [(50, 50, "credited"), (40, 50.01, "review")])
def test_what_is_paid_above_the_largest_amount_is_for_staff(
    asked, paid, status, deposit, fake, invoice_of, poll, status_of, reconcile
):
    fake.pay(invoice_of(made := deposit(asked)), paid)

    poll()

    assert status_of(made) == status
    assert reconcile() == (1, [])


@pytest.mark.settings(PAYMENTS_MAX_USD="50")
def test_a_deposit_that_is_paid_as_asked_is_credited_whatever_the_limits_are_by_then(
    limit, deposit, fake, invoice_of, poll, status_of
):
    made = deposit(50)
    limit(10)
    fake.pay(invoice_of(made))

    poll()

    assert status_of(made) == "credited"


def test_what_expired_or_failed_does_not_count(limit, deposit, fake, invoice_of, poll, post_deposit):
    limit(50)
    fake.expire(invoice_of(deposit(50)))
    poll()
    with fake.away():
        assert post_deposit(50)[0] == 503

    deposit(50)


def test_a_deposit_in_review_counts_as_asked(limit, deposit, fake, invoice_of, poll, post_deposit, status_of):
    limit(50)
    made = deposit(30)
    fake.pay(invoice_of(made), 1)
    fake.expire(invoice_of(made))
    poll()
    assert status_of(made) == "review"

    assert post_deposit(20.01) == reached("day", MIDNIGHT)


def test_recorded_deposits_count_and_withdrawals_do_not(limit, run, player, post_deposit, deposit):
    limit(50)
    run("payments", "record", player.platform_id, "deposit", "30")
    run("payments", "record", player.platform_id, "withdraw", "30")

    assert post_deposit(20.01) == reached("day", MIDNIGHT)
    deposit(20)


def test_a_limit_is_of_one_player(limit, deposit, new_player):
    limit(0)

    deposit(50, by=new_player("bob"))


def test_a_deposit_belongs_to_the_day_of_its_creation(
    limit, deposit, fake, invoice_of, poll, clock, post_deposit
):
    limit(50)
    clock.now = MIDNIGHT - 5_000
    made = deposit(40)
    fake.pay(invoice_of(made))
    poll()
    assert clock() > MIDNIGHT

    deposit(50)
    assert post_deposit(1) == reached("day", MIDNIGHT + DAY_MS)


@pytest.mark.both_databases("a race")
def test_deposits_at_once_never_exceed_the_limit_together(limit, post_deposit, fake):
    limit(50)

    answers = all_at_once([lambda: post_deposit(20)] * 6)

    assert sorted(status for status, _ in answers) == [201] * 2 + [400] * 4
    assert len(fake.invoices) == 2


def test_a_player_on_a_break_can_withdraw_and_not_deposit(ask, post_deposit, withdraw, deposit, clock, fake):
    ask("POST", "/limits/exclusion", {"duration": "24h"})

    text = "You are taking a break until 2026-03-19T12:00:00Z"
    assert post_deposit() == (403, {"error": text})

    assert withdraw(25)["status"] == "approved"
    clock.advance(hours=24)
    deposit()


def test_a_suspended_player_can_neither_deposit_nor_withdraw(
    run, player, post_deposit, post_withdrawal, ask, fake
):
    run("users", "suspend", player.platform_id)

    answers = [post_deposit(), post_withdrawal(), ask("GET", "/payments"), ask("GET", "/payments/methods")]

    assert answers == [SUSPENDED] * 4
    assert (fake.invoices, fake.payouts) == ([], [])


def test_money_of_a_suspended_player_is_credited(deposit, fake, invoice_of, poll, run, player, balance):
    made = deposit()
    run("users", "suspend", player.platform_id)
    fake.pay(invoice_of(made))

    poll()

    run("users", "resume", player.platform_id)
    assert balance() == 125
