"""Discrepancies: open until the difference is gone, or until staff dismiss them."""

import json

from tests.blueprints.payments.conftest import CREATE_PAYOUT
from tests.harness.btcpay.faults import Fault
from tests.harness.spins import at


def test_a_date_limits_what_is_compared(credited, invoice_of, fake, reconcile, clock, fails):
    older = credited()
    clock.now = at("2026-03-20 12:00")
    newer = credited()
    for made in (older, newer):
        fake.invalidate(invoice_of(made))
        fake.pay(invoice_of(made), 1)

    assert reconcile("--since", "2026-03-21")[1] == []
    assert reconcile("--since", "2026-03-20")[1] == [("deposit", newer["id"])]
    assert reconcile("--since", "2026-03-18")[1] == [("deposit", newer["id"]), ("deposit", older["id"])]
    for date in ("yesterday", "2026-3", "2026-02-30", ""):
        said = fails("payments", "reconcile", "--since", date)
        assert said == "Error: --since must be a date such as 2026-11-26"


def test_a_discrepancy_outside_of_the_range_stays_open(credited, invoice_of, fake, reconcile):
    made = credited()
    fake.invalidate(invoice_of(made))
    reconcile()

    assert reconcile("--since", "2026-03-19") == (1, [("deposit", made["id"])])
    assert reconcile("--since", "2026-03-20") == (0, [("deposit", made["id"])])


def test_a_dismissed_discrepancy_comes_back_only_when_it_changes(
    credited, invoice_of, fake, reconcile, run, fails, clock
):
    made = credited()
    fake.invalidate(invoice_of(made))
    reconcile()

    dismissed = run("payments", "dismiss", "deposit", made["id"], "--reason", "talked to the provider")
    assert (dismissed["kind"], dismissed["id"]) == ("deposit", made["id"])
    assert [reconcile()[1] for _ in range(2)] == [[], []]
    said = fails("payments", "dismiss", "deposit", made["id"], "--reason", "again")
    assert said == "Error: there is no such open discrepancy"

    fake.pay(invoice_of(made), 5)
    assert reconcile()[1] == [("deposit", made["id"])]


def test_a_dismissal_has_a_reason_in_the_audit_trail(credited, invoice_of, fake, reconcile, run, fails):
    made = credited()
    fake.invalidate(invoice_of(made))
    reconcile()
    said = fails("payments", "dismiss", "deposit", made["id"], "--reason", " ")
    assert said == "Error: the reason must be a text of 1 to 200 characters"

    run("payments", "dismiss", "deposit", made["id"], "--reason", "dealt with")

    last = run("audit", "export")[-1]
    assert (last["what"], last["after"]["kind"], last["after"]["reason"]) == (
        "payment-discrepancy.dismissed",
        "deposit",
        "dealt with",
    )


def test_a_withdrawal_that_is_sent_for_too_long_is_found(
    withdraw, fake, send_payouts, reconcile, clock, run, app
):
    fake.faults.next(CREATE_PAYOUT, *[Fault.NO_ANSWER] * 20)
    made = withdraw()
    send_payouts()
    clock.advance(minutes=30)
    assert run("payments", "reconcile")["findings"] == []

    clock.advance(ms=1)
    found = json.loads(app.test_cli_runner().invoke(args=["payments", "reconcile"]).stdout)["findings"]
    assert [(each["kind"], each["id"]) for each in found] == [("slow-withdrawal", made["id"])]

    fake.faults.stop()
    send_payouts()
    assert reconcile() == (1, [])
