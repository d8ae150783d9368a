"""flask fairness report: the return to player in total and for each day."""

import pytest

from tests.harness.spins import play_spin
from tests.support.client_seeds import client_seed_that

DAY_MS = 24 * 3600 * 1000
NOON_MS = 1_800_000_000_000 - 1_800_000_000_000 % DAY_MS + DAY_MS // 2
"""2027-01-15, 12:00 UTC."""


@pytest.fixture
def bet(app, player, add_item):
    """Settles a bet of two coins on an item of ten, which is won or lost."""
    item = add_item(price=10)

    def bet(*, won, at=NOON_MS):
        seed = client_seed_that(won, app=app, player=player, wager=2, price=10)
        play_spin(app, player, item, clock=lambda: at, amount=2, client_seed=seed)

    return bet


def test_each_day_has_its_own_sums(bet, run):
    report = run("fairness", "report")

    assert (report["bets"], report["wagered"], report["returnToPlayer"], report["days"]) == (0, 0, None, [])

    bet(won=False)
    bet(won=True, at=NOON_MS + DAY_MS)
    bet(won=False, at=NOON_MS + DAY_MS + 1)

    days = run("fairness", "report")["days"]

    assert [(day["day"], day["bets"], day["paid"]) for day in days] == [
        ("2027-01-15", 1, 0),
        ("2027-01-16", 2, 10),
    ]
