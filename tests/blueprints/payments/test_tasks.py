"""The background tasks: when they ask the provider, and what they count for Prometheus."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.blueprints.payments.conftest import CREATE_PAYOUT, RECONCILING, SENDING
from tests.harness.btcpay.faults import Fault
from tests.support.markers import postgresql_only


@pytest.fixture
def samples():
    """The samples of a metric of an app, by the values of their labels in the order of their names."""

    def of(app, name):
        families = text_string_to_metric_families(app.test_client().get("/metrics").text)
        return {
            tuple(value for _, value in sorted(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
            if sample.name == name
        }

    return of


@pytest.mark.both_databases("services/payments/history.py")
def test_what_is_open_is_counted_with_its_age(app, work, samples, deposit, withdraw, clock):
    deposit()
    clock.advance(seconds=30)
    deposit()
    withdraw()
    clock.advance(seconds=10)

    work(app, RECONCILING)

    assert samples(app, "payments_open") == {("pending", "deposit"): 2, ("approved", "withdrawal"): 1}
    assert samples(app, "payments_oldest_seconds") == {
        ("pending", "deposit"): 40,
        ("approved", "withdrawal"): 10,
    }
    assert samples(app, "payment_discrepancies_open") == {}


def test_open_discrepancies_are_counted_by_kind(app, work, samples, credited, fake, invoice_of, clock):
    for made in (credited(), credited()):
        fake.invalidate(invoice_of(made))
    clock.advance(minutes=6)

    work(app, RECONCILING)

    assert samples(app, "payment_discrepancies_open") == {("deposit",): 2}


def test_the_provider_is_reconciled_with_every_hour(app, work, fake, clock, deposit):
    deposit()
    asked = []
    for _ in range(6):
        work(app, RECONCILING)
        asked.append(fake.api.requests.count("list store payouts"))
        clock.advance(minutes=20)

    assert asked == [1, 1, 1, 2, 2, 2]


def test_a_provider_that_was_away_is_asked_after_five_minutes(app, work, fake, clock):
    fake.faults.next("list store payouts", Fault.UNAVAILABLE)
    asked = []
    for _ in range(4):
        work(app, RECONCILING)
        asked.append(fake.api.requests.count("list store payouts"))
        clock.advance(minutes=2.5)

    assert asked == [1, 1, 2, 2]


@postgresql_only
def test_one_process_reconciles_and_shows_what_is_open(
    app, make_app, clock, settings, work, samples, deposit
):
    other = make_app(clock=clock, **settings)
    deposit()

    work(app, RECONCILING)
    work(other, RECONCILING)

    assert [samples(each, "payments_open") for each in (app, other)] == [{("pending", "deposit"): 1}, {}]


def test_failed_calls_about_payouts_are_counted_by_kind(app, work, samples, withdraw, fake, clock):
    fake.faults.next(CREATE_PAYOUT, Fault.LOST_ANSWER)
    withdraw()
    work(app, SENDING)
    clock.advance(seconds=11)
    fake.set_rate_available(False)
    work(app, SENDING)

    assert samples(app, "payout_errors_total") == {("unknown",): 1, ("away",): 1}
