"""Fixtures of the tests of battles: a case of 10.53 coins, and battles of two players."""

import pytest

from tests.harness.players import import_case

DEAR, CHEAP = "Dear | Gun", "Cheap | Gun"
PRICE = 10.53
PICTURE = "https://images.example.com/dear.webp"


@pytest.fixture
def case(app, add_item):
    """95 % of its price is 0.1 * 55 + 0.9 * 5."""
    add_item(DEAR, price=55, image=PICTURE)
    add_item(CHEAP, price=5)
    import_case("Box", {DEAR: 10, CHEAP: 90})
    return "box"


@pytest.fixture
def beacons(app):
    """Those of the app, which has just got the newest one."""
    beacons = app.extensions["services"].beacons
    beacons.ask_all()
    return beacons


@pytest.fixture
def bob(new_player):
    """Another player with 100 coins."""
    return new_player("bob")


@pytest.fixture
def new_battle(case):
    """The body that creates a battle of two seats, with these changes."""
    body = {"cases": [{"case": case, "count": 1}], "mode": "normal", "teams": "1v1", "price": PRICE}
    return lambda **changes: body | changes


@pytest.fixture
def create(send, player, new_battle):
    """Creates a battle as the player, with these changes of its body; the battle."""

    def create(**changes):
        status, battle = send(player, "POST", "/battles", new_battle(**changes))
        assert status == 200, battle
        return battle

    return create


@pytest.fixture
def join(send, bob):
    """Takes a seat as bob, or as another player; the battle."""

    def join(battle, seat=1, by=bob, **changes):
        body = {"seat": seat, "price": battle["cost"]} | changes
        status, joined = send(by, "POST", f"/battles/{battle['id']}/join", body)
        assert status == 200, joined
        return joined

    return join


@pytest.fixture
def locked(create, join, beacons):
    """A battle of two players that was just locked."""
    return join(create())
