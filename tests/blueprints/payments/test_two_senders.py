"""Two processes that send withdrawals: one has the lease, and a paused one that comes back does no harm."""

import pytest

from services.shared.lease import LeaseLost
from tests.blueprints.payments.conftest import APPROVE_PAYOUT, CREATE_PAYOUT


@pytest.fixture
def other(make_app, clock, settings, end_lease):
    """Lets another process send, which takes the lease over when that of the first has ended."""
    sender = make_app(clock=clock, **settings).extensions["services"].payout_sender

    def run(times=1, *, has_ended=True):
        if has_ended:
            end_lease()
        for _ in range(times):
            clock.advance(seconds=11)
            sender.run(now=clock())

    return run


@pytest.fixture
def pause(services, monkeypatch):
    """Pauses the first process before or after its next call of this method, for what happens meanwhile."""
    provider = services.payment_providers.by_name["btcpay"]

    def plan(name, meanwhile, *, after=False):
        call = getattr(provider, name)

        def paused(*arguments, **options):
            monkeypatch.setattr(provider, name, call)
            if not after:
                meanwhile()
            result = call(*arguments, **options)
            if after:
                meanwhile()
            return result

        monkeypatch.setattr(provider, name, paused)

    return plan


@pytest.fixture
def send_in_vain(send_payouts):
    """A round of the first process, which notices that it has lost the lease."""

    def run():
        with pytest.raises(LeaseLost):
            send_payouts()

    return run


@pytest.fixture
def asked(fake):
    """How often an operation of the provider was asked for."""
    return fake.api.requests.count


@pytest.mark.both_databases("a lease that fences writes")
def test_a_process_without_the_lease_sends_nothing(withdraw, send_payouts, other, fake, services, payout_of):
    withdraw(10)
    send_payouts()
    second = withdraw(10, to=fake.address("bob"))

    other(has_ended=False)
    assert fake.payouts_of(second["id"]) == []
    services.payout_sender.release()
    other(has_ended=False)

    assert payout_of(second).state == "AwaitingPayment"


def test_a_request_that_wakes_up_after_the_payment_is_cancelled(
    withdraw, pause, other, send_in_vain, fake, status_of, reconcile, balance
):
    made = withdraw()

    def pay():
        other(2)
        fake.complete(*fake.payouts)
        other()

    pause("create_payout", pay)

    send_in_vain()
    late = fake.payouts_of(made["id"])[1]
    assert (late.state, status_of(made)) == ("AwaitingApproval", "completed")
    # Without a reconciliation.
    other()

    assert (late.state, balance(), len(fake.ledger.paid)) == ("Cancelled", 75, 1)
    assert reconcile() == (2, [])


def test_a_payout_that_another_process_finds_is_approved_once(
    withdraw, pause, other, send_in_vain, payout_of, status_of, reconcile, asked
):
    made = withdraw()
    pause("create_payout", other, after=True)

    send_in_vain()
    other()

    assert (payout_of(made).state, status_of(made)) == ("AwaitingPayment", "sent")
    assert (asked(CREATE_PAYOUT), asked(APPROVE_PAYOUT)) == (1, 1)
    assert reconcile() == (1, [])


def test_an_approval_after_the_coins_went_back_pays_nothing(
    withdraw, pause, other, send_payouts, payout_of, status_of, balance, fake
):
    made = withdraw()

    def cancel():
        fake.cancel(payout_of(made))
        other()

    pause("approve", cancel)

    send_payouts(2)

    assert (status_of(made), balance(), payout_of(made).state) == ("failed", 100, "Cancelled")


@pytest.mark.both_databases("a lease that fences writes")
@pytest.mark.parametrize(
    ("end", "status", "coins"), [("complete", "completed", 75), ("cancel", "failed", 100)]
)
def test_a_withdrawal_ends_once_when_two_processes_see_its_end(
    end,
    status,
    coins,
    withdraw,
    pause,
    other,
    send_payouts,
    send_in_vain,
    payout_of,
    status_of,
    balance,
    fake,
):
    made = withdraw()
    send_payouts()
    getattr(fake, end)(payout_of(made))
    pause("get_payout", other, after=True)

    send_in_vain()

    assert (status_of(made), balance()) == (status, coins)
