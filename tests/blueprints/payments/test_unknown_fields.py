"""Answers that are not as documented: what they lack is not known, so it is neither 0 nor a state."""

import copy

import pytest

from tests.harness.btcpay.faults import Fault

ABSENT = object()
WRONG = [
    ABSENT,
    None,
    [],
    {},
    True,
    "",
    "x",
    -1,
    "-1",
    "NaN",
    "Infinity",
    float("inf"),
    "1e999999999",
    "9" * 40,
]
"""What a field may have in the place of a value. JSON has no infinity, so that answer can't be read."""

UNREADABLE_TEXT = [ABSENT, None, [], {}, True, "", "x", 1, float("inf")]


def spoiled(operation, path, value):
    """Makes the answers to an operation have this value at a path, such as ``0.payments.0.fee``."""

    def spoil(name, body):
        if name != operation or not body:
            return body
        changed = copy.deepcopy(body)
        *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        parent = changed
        for part in parents:
            parent = parent[part]
        if value is ABSENT:
            del parent[last]
        else:
            parent[last] = value
        return changed

    return spoil


@pytest.fixture
def ask_again(poll, send_payouts, clock):
    """Lets everything be asked about that is open."""

    def ask():
        clock.advance(minutes=10)
        poll()
        send_payouts()

    return ask


@pytest.fixture
def with_each(fake, ask_again):
    """Lets everything be asked about with each of these values at a path, and then without them."""

    def ask(operation, path, values):
        for value in values:
            fake.api.spoil = spoiled(operation, path, value)
            ask_again()
            yield value
        fake.api.spoil = lambda _, body: body
        ask_again()

    return ask


NUMBERS_OF_INVOICES = [
    ("get invoice", "amount", ["", "x", [], None, ABSENT, True, "NaN"]),
    ("get invoice", "createdTime", WRONG),
    ("get invoice", "expirationTime", WRONG),
    ("get invoice", "monitoringExpiration", WRONG),
    ("get payment methods", "0.rate", [*WRONG, "0", 0]),
    ("get payment methods", "0.payments.0.value", WRONG),
    ("get payment methods", "0.payments.0.fee", WRONG),
    ("get payment methods", "0.payments.0.receivedDate", WRONG),
]
TEXTS_OF_INVOICES = [
    ("get invoice", "status", UNREADABLE_TEXT),
    ("get invoice", "additionalStatus", [ABSENT, None, [], {}, True, 1]),
    ("get invoice", "currency", [ABSENT, None, [], {}, True, 1]),
    ("get invoice", "id", [ABSENT, None, [], {}, True, "", 1]),
    ("get payment methods", "0.payments", [ABSENT, None, {}, True, "", "x", 1, [None], ["x"], [[]]]),
    ("get payment methods", "0.payments.0.status", UNREADABLE_TEXT),
    ("get payment methods", "0.payments.0.id", [ABSENT, None, [], {}, True, "", 1]),
]


@pytest.mark.parametrize(("operation", "path", "values"), NUMBERS_OF_INVOICES + TEXTS_OF_INVOICES)
def test_a_deposit_waits_until_its_answer_can_be_read(
    operation, path, values, deposit, fake, invoice_of, with_each, shown, balance
):
    made = deposit()
    fake.pay(invoice_of(made))

    seen = {
        (shown(made)["status"], shown(made)["paidAmount"], balance())
        for _ in with_each(operation, path, values)
    }

    assert seen == {("pending", None, 100)}
    assert (shown(made)["status"], shown(made)["paidAmount"], balance()) == ("credited", 25, 125)


@pytest.mark.parametrize("answer", [None, [], {}, "x", 1, [None], [[]]])
@pytest.mark.parametrize("operation", ["get invoice", "get payment methods"])
def test_an_answer_of_another_type_changes_nothing(
    operation, answer, deposit, fake, invoice_of, poll, shown, balance
):
    made = deposit()
    fake.pay(invoice_of(made))
    fake.api.spoil = lambda name, body: answer if name == operation else body

    poll()

    # Without payment methods nothing can have been paid, and that is less than was asked.
    expected = "review" if (operation, answer) == ("get payment methods", []) else "pending"
    assert (shown(made)["status"], balance()) == (expected, 100)


@pytest.mark.parametrize(
    "path", ["0.paymentMethods", "0.paymentMethods.0.payments", "0.paymentMethods.0.rate"]
)
@pytest.mark.parametrize("value", [ABSENT, None])
def test_the_payments_that_a_list_lacks_are_asked_for_one_by_one(
    path, value, credited, fake, reconcile, invoice_of
):
    made = credited()
    fake.pay(invoice_of(made), 5)
    fake.api.spoil = spoiled("list invoices", path, value)

    assert reconcile()[1] == [("deposit", made["id"])]


def test_an_invoice_that_can_t_be_read_is_a_discrepancy_and_hinders_no_other(
    credited, fake, reconcile, invoice_of
):
    unreadable, other = credited(), credited(10)
    fake.pay(invoice_of(other), 5)

    def spoil(name, body):
        entries = body if name == "list invoices" else [body] if name == "get invoice" else []
        for entry in entries:
            if entry["id"] == invoice_of(unreadable):
                entry["status"] = "Frozen"
        return body

    fake.api.spoil = spoil

    assert sorted(reconcile()[1]) == sorted([("deposit", unreadable["id"]), ("deposit", other["id"])])


FIELDS_OF_PAYOUTS = [
    ("revision", [ABSENT, None, [], True, "", "0", -1, 1.5, float("inf")]),
    ("state", UNREADABLE_TEXT),
    ("originalAmount", ["", "x", [], None, ABSENT, True, "NaN"]),
    ("originalCurrency", [ABSENT, None, [], 1]),
    ("destination", [ABSENT, None, [], 1]),
    ("payoutMethodId", [ABSENT, None, [], 1]),
    ("date", WRONG),
    ("id", [ABSENT, None, [], "", 1]),
]


@pytest.mark.parametrize(("path", "values"), FIELDS_OF_PAYOUTS)
@pytest.mark.parametrize("operation", ["create payout", "get payout"])
def test_a_withdrawal_waits_until_the_answer_about_its_payout_can_be_read(
    operation, path, values, withdraw, fake, with_each, ask_again, send_payouts, status_of, payout_of, balance
):
    fake.api.spoil = spoiled(operation, path, values[0])
    made = withdraw()
    send_payouts()

    seen = {status_of(made) for _ in with_each(operation, path, values)}

    # One whose making was not understood is found in the list.
    assert (seen, balance()) == ({"sent"}, 75)
    fake.complete(payout_of(made))
    ask_again()
    assert status_of(made) == "completed"


@pytest.mark.parametrize(("path", "values"), [*FIELDS_OF_PAYOUTS, ("metadata", [ABSENT, None, [], "x", 1])])
def test_no_second_payout_is_made_while_the_list_can_t_be_read(
    path, values, withdraw, fake, with_each, send_payouts, status_of, payout_of
):
    fake.faults.next("create payout", Fault.LOST_ANSWER)
    made = withdraw()
    send_payouts()

    seen = {status_of(made) for _ in with_each("list store payouts", f"0.{path}", values)}

    assert seen == {"sending"}
    assert (status_of(made), payout_of(made).state) == ("sent", "AwaitingPayment")


@pytest.mark.parametrize("name", ["currency", "archived", "autoApproveClaims"])
@pytest.mark.parametrize("value", [ABSENT, None, [], "x"])
def test_a_pull_payment_that_does_not_say_what_it_is_can_t_be_used(name, value, fake, fails):
    fake.api.spoil = spoiled("get pull payment", name, value)

    assert fails("check").startswith("BTCPAY_PULL_PAYMENT: the pull payment ")
