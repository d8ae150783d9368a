"""Concurrent spins and payments: no count is lost, and there is no deadlock."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from models.payments import PaymentType
from services.accounts import users
from services.payments import transfers as payments
from services.payments.transfers import Transfer
from services.shared.money import Cents
from tests.support.table import Table

SHARDS = 64
TIMES = 8


@pytest.fixture
def neighbours(app, new_player):
    """Two players whose bets are counted in the same row, and one of another row."""
    first = new_player("first")
    services = app.extensions["services"]
    for number in range(SHARDS - 1):
        users.create(username=f"between-{number}", now=services.clock())
    same = new_player("same")
    assert same.id == first.id + SHARDS
    return first, same, new_player("other")


@pytest.mark.both_databases("a race")
def test_concurrent_spins_and_payments_are_each_counted_once(app, ask, run, clock, neighbours):
    table = Table(app)

    def spin(player):
        for _ in range(TIMES):
            table.spin(player, client_seed="seed")

    def pay(player):
        user = users.get_by_id(player.id)
        for _ in range(TIMES):
            payments.record(
                user=user, type_=PaymentType.DEPOSIT, usd=Cents(100), transfer=Transfer(), now=clock.now
            )

    with ThreadPoolExecutor(6) as threads:
        tasks = [threads.submit(do, player) for player in neighbours for do in (spin, pay)]
    for task in tasks:
        task.result()

    clock.advance(ms=6000)
    assert ask("live-bets")["data"]["total"] == 3 * TIMES
    assert [ask("payments", player)["data"]["totalPayments"] for player in neighbours] == [TIMES] * 3
    assert run("ledger", "audit")["mismatches"] == 0
