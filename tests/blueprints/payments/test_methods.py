"""GET /payments/methods: what can be used now."""

import pytest

from services.payments import registry

BOUNDS = {"minUsd": 1, "maxUsd": 10_000}
DEPOSIT = {"id": "btcpay", "name": "Cryptocurrency", **BOUNDS}
CHAIN = {"id": "BTC-CHAIN", "name": "BTC on the blockchain", "addressHint": "A BTC address", **BOUNDS}


@pytest.fixture
def settings(settings, monkeypatch):
    """Of an app that asks the provider each time. Otherwise an answer holds for half a minute."""
    monkeypatch.setattr(registry, "LOOK_AGAIN_SECONDS", 0.0)
    return settings


@pytest.fixture
def listed(ask):
    """The methods for deposits and for withdrawals."""

    def get():
        status, body = ask("GET", "/payments/methods")
        assert status == 200
        return body["deposits"], body["withdrawals"]

    return get


def ids(listed):
    return tuple([method["id"] for method in each] for each in listed)


def test_btcpay_is_one_method_of_deposits_and_several_of_withdrawals(listed):
    assert listed() == ([DEPOSIT], [CHAIN])


@pytest.mark.settings(PAYMENTS_MIN_USD="2.5", PAYMENTS_MAX_USD="50", BTCPAY_PAYOUT_METHODS="BTC-LN,DOGE")
def test_methods_show_the_bounds_and_names_of_the_settings(listed):
    deposits, withdrawals = listed()

    assert {(each["minUsd"], each["maxUsd"]) for each in deposits + withdrawals} == {(2.5, 50)}
    assert [(each["id"], each["name"]) for each in withdrawals] == [
        ("BTC-LN", "BTC over Lightning"),
        ("DOGE", "DOGE"),
    ]


@pytest.mark.settings(PAYMENT_METHODS="")
def test_there_are_no_methods_where_no_provider_is_set_up(listed, post_deposit, post_withdrawal):
    assert listed() == ([], [])
    assert post_deposit() == (400, {"error": "Unknown payment method"})
    assert post_withdrawal() == (400, {"error": "Unknown payment method"})


@pytest.mark.settings(PAYMENT_METHODS="demo,btcpay")
def test_a_provider_away_is_left_out_until_it_answers(listed, fake):
    with fake.away():
        assert ids(listed()) == (["demo"], ["demo"])

    assert ids(listed()) == (["demo", "btcpay"], ["demo", "BTC-CHAIN"])


@pytest.mark.parametrize("setting", ["BTCPAY_API_KEY", "BTCPAY_STORE"])
def test_a_wrong_key_or_store_leaves_the_provider_out(setting, make_app, player, settings):
    app = make_app(**settings | {setting: "another"})

    answer = app.test_client().get("/payments/methods", headers=player.headers)

    assert answer.json == {"deposits": [], "withdrawals": []}


def other_currency(fake):
    fake.pull_payment.currency = "BTC"


def no_such_one(fake):
    fake.pull_payment.id = "another"


WRONG = {
    other_currency: "the pull payment must be in USD",
    no_such_one: "there is no such pull payment",
    lambda fake: fake.archive_pull_payment(): "the pull payment is archived",
}


@pytest.mark.parametrize("spoil", WRONG)
def test_a_wrong_pull_payment_leaves_withdrawals_out(spoil, listed, fake, fails):
    spoil(fake)

    assert ids(listed()) == (["btcpay"], [])
    assert fails("check").splitlines()[0] == f"BTCPAY_PULL_PAYMENT: {WRONG[spoil]}"


def test_flask_check_warns_about_a_provider_that_is_away(app, fake):
    with fake.away():
        result = app.test_cli_runner().invoke(args=["check"])

    assert result.exit_code == 0
    assert "warning: payment provider btcpay: the provider can't be reached" in result.stderr.splitlines()
