"""What SECURITY.md and docs/regulation.md promise of payments, in its simplest form."""

from dataclasses import replace

import pytest

from models.payments import Deposit
from services.payments.deposit_states import is_ours
from services.payments.providers.demo import Demo
from services.shared.clock import Millis


@pytest.mark.security("Deposits")
def test_an_invoice_that_somebody_else_made_is_not_the_deposits():
    deposit = Deposit(id="d", amount_cents=2500, secret="s")
    ours = Demo(base_url="", clock=lambda: Millis(0)).create_invoice(deposit, platform_id="1")

    changes = ({"secret": None}, {"secret": "x"}, {"amount": None}, {"amount": 1}, {"currency": "EUR"})
    assert is_ours(ours, deposit)
    assert [change for change in changes if is_ours(replace(ours, **change), deposit)] == []
