"""Fixtures of the tests of openings: a case of ten coins, and its items."""

from decimal import Decimal

import pytest

from services.bets.snapshots import content_of_case
from services.cases import queries as cases
from tests.harness.players import import_case
from tests.support.apps import import_irl_case
from tests.support.client_seeds import client_seed_that_wins

DEAR, CHEAP = "Dear | Gun", "Cheap | Gun"
LAMP, PEN = "Lamp", "Pen"


@pytest.fixture
def put(app):
    """Imports a case with these items and percentages."""
    return import_case


@pytest.fixture
def items(add_item):
    add_item(DEAR, price=55)
    add_item(CHEAP, price=5)


@pytest.fixture
def case(put, items):
    """Costs 10.53 coins: 95 % of that is 0.1 * 55 + 0.9 * 5."""
    put("Box", {DEAR: 10, CHEAP: 90})
    return "box"


@pytest.fixture
def free_case(put, items):
    """Shown at 10.53 coins too."""
    put("Daily", {DEAR: 10, CHEAP: 90}, kind="free")
    return "free-case"


@pytest.fixture
def irl_case(app):
    """Costs 12 coins."""
    lamp = {"name": LAMP, "image": "/media/lamp.webp", "price": 50, "percentage": 20}
    pen = {"name": PEN, "price": Decimal("1.5"), "percentage": 80}
    import_irl_case("desk", lamp, pen, price=12)
    return "desk"


@pytest.fixture
def lucky(client, new_player, player):
    """A player who uses a promo code. It gives 0.2 coins."""
    owner = new_player("owner")
    assert (
        client.post("/affiliate/set-code", json={"code": "LUCKY"}, headers=owner.headers).status_code == 200
    )
    assert (
        client.post("/affiliate/use-code", json={"code": "LUCKY"}, headers=player.headers).status_code == 200
    )
    return player


@pytest.fixture
def winning(app, player):
    """Gives a client seed with which the player's next opening of a case wins this item."""

    def winning(item, case, game="case"):
        return client_seed_that_wins(item, app=app, player=player, case=case, game=game)

    return winning


@pytest.fixture
def snapshot_of():
    """Gives the hash of what a case contains now."""

    def snapshot_of(case):
        return content_of_case(cases.get(case_id=case)).hash

    return snapshot_of
