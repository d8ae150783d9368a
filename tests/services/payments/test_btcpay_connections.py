"""Connections to BTCPay Server stay open between calls, as long as they can be trusted."""

import pytest

from services.payments.providers import btcpay_api
from services.payments.providers.btcpay_api import BtcPayApi
from tests.harness.btcpay.fake import FakeBtcPay
from tests.harness.btcpay.faults import Fault


@pytest.fixture
def fake():
    with FakeBtcPay() as fake:
        yield fake


@pytest.fixture
def port_of_call(fake):
    """Asks for the store; the port of the client's connection."""
    api = BtcPayApi(url=fake.url, api_key=fake.api_key)

    def call():
        ports = []
        fake.faults.next("get store", Fault.NONE, strike=ports.append)
        assert api.read(f"/api/v1/stores/{fake.state.store_id}", seconds=10)
        return ports[0]

    return call


def test_a_connection_that_was_idle_for_long_is_replaced(port_of_call, monkeypatch):
    first = port_of_call()
    monkeypatch.setattr(btcpay_api, "IDLE_SECONDS", 0)

    assert port_of_call() != first


def test_a_connection_that_the_provider_has_closed_is_replaced(fake, port_of_call):
    first = port_of_call()
    with fake.away():
        pass

    assert port_of_call() != first
