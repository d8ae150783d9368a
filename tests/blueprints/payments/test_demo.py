"""The provider of development: the whole path, without any money."""

import pytest

pytestmark = pytest.mark.settings(PAYMENT_METHODS="demo")


@pytest.fixture
def follow(services, clock, status_of, poll_now):
    """Lets two seconds pass several times; the status after each."""

    def step(made):
        clock.advance(seconds=2)
        poll_now()
        services.payout_sender.run(now=clock())
        return status_of(made)

    return lambda made, times: [step(made) for _ in range(times)]


def test_the_demonstration_credits_a_deposit_after_five_seconds(deposit, follow, balance, statistics):
    made = deposit(5, method="demo")
    assert (made["status"], made["checkoutUrl"].endswith(f"/demo-checkout/{made['id']}")) == ("pending", True)

    assert follow(made, 3) == ["pending", "pending", "credited"]
    assert (balance(), [each[:2] for each in statistics()]) == (105, [("deposit", 5)])


def test_the_demonstration_pays_a_withdrawal_after_ten_seconds(withdraw, follow, balance, statistics):
    made = withdraw(5, method="demo", to="anywhere")
    assert (made["status"], balance()) == ("approved", 95)

    assert follow(made, 6) == ["sent"] * 5 + ["completed"]
    assert (balance(), [each[:2] for each in statistics()]) == (95, [("withdraw", 5)])


@pytest.mark.settings(ADDRESS_HOURS="24")
def test_the_demo_player_can_withdraw_at_once_although_new_addresses_wait(client):
    headers = {"Authorization": f"Bearer {client.post('/demo/session').json['token']}"}
    (known,) = client.get("/payments/addresses", headers=headers).json["addresses"]
    body = {"method": known["method"], "amount": 5, "to": known["address"]}

    assert client.post("/payments/withdrawals", json=body, headers=headers).status_code == 201
    assert client.get("/profile/notifications", headers=headers).json == []
