"""A BTCPay Server whose invoices come without their payments: they are asked for at a path of their own."""

from decimal import Decimal

import pytest

from tests.harness.btcpay.openapi import NEW, OLD


@pytest.fixture(params=[OLD, NEW])
def release(request):
    return request.param


def test_a_paid_deposit_is_credited(credited, balance, shown):
    made = credited(25, Decimal("30.50"))

    assert (shown(made)["credited"], shown(made)["paidAmount"], balance()) == (30.5, 30.5, 130.5)


def test_money_that_came_late_or_in_part_is_for_staff(deposit, fake, invoice_of, poll, shown):
    late, part = deposit(), deposit(10)
    fake.pay_late(invoice_of(late))
    fake.pay(invoice_of(part), 4)
    poll()
    assert [shown(part)[name] for name in ("status", "paidAmount")] == ["pending", 4]

    fake.expire(invoice_of(part))
    poll()

    assert [(shown(made)["status"], shown(made)["paidAmount"]) for made in (late, part)] == [
        ("review", 25),
        ("review", 4),
    ]


def test_the_reconciliation_knows_what_was_paid(credited, deposit, fake, invoice_of, reconcile, status_of):
    late, overpaid = deposit(), credited()
    fake.pay_late(invoice_of(late))
    fake.pay(invoice_of(overpaid), 5)

    assert reconcile() == (2, [("deposit", overpaid["id"])])
    assert status_of(late) == "review"


def test_a_withdrawal_is_sent_and_completed(completed, balance):
    completed()

    assert balance() == 75


def notes(app):
    result = app.test_cli_runner().invoke(args=["check"])
    return result.exit_code, [line for line in result.stderr.splitlines() if line.startswith("note: ")]


def test_flask_check_names_the_version_and_what_it_lacks(app, release):
    lacks = f"note: BTCPay Server {release} lacks"
    expected = {
        NEW: [f"{lacks} nothing"],
        OLD: [
            f"{lacks} the payments in its lists of invoices, so each invoice is asked about by itself",
            f"{lacks} the payments in its answer about one invoice, so it is asked for them separately",
        ],
    }

    assert notes(app) == (0, expected[release])


def naming(version):
    """Makes answers about the server that name this version."""

    def spoil(operation, body):
        return body | {"version": version} if operation == "get server info" else body

    return spoil


@pytest.mark.parametrize("version", [None, 2, "", "unknown", "99999999999.1.1"])
def test_flask_check_says_when_the_version_is_not_named(version, app, fake):
    fake.api.spoil = naming(version)

    assert notes(app) == (0, ["note: BTCPay Server does not name its version"])


def test_flask_check_refuses_a_release_that_is_too_old(app, fake):
    fake.api.spoil = naming("1.13.5")

    result = app.test_cli_runner().invoke(args=["check"])

    assert result.exit_code == 1
    assert "BTCPay Server 1.13.5 is too old: 2.0.0 or later is needed" in result.stderr.splitlines()
