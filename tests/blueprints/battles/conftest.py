"""Fixtures of the tests of battles: a case of 10.50 coins, and battles of two players."""

import hashlib

import pytest

from models.battles import Battle
from models.db.connection import writing
from services.battles import queries
from services.beacon.relays import Beacon
from tests.harness.players import import_case

DEAR, CHEAP = "Dear | Gun", "Cheap | Gun"
PRICE = 10.5
PICTURE = "https://images.example.com/dear.webp"


@pytest.fixture
def case(app, add_item):
    """95 % of its price is 0.1 * 54.75 + 0.9 * 5."""
    add_item(DEAR, price=54.75, image=PICTURE)
    add_item(CHEAP, price=5)
    import_case("Box", {DEAR: 10, CHEAP: 90})
    return "box"


@pytest.fixture
def services(app):
    return app.extensions["services"]


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

    def create(by=player, **changes):
        status, battle = send(by, "POST", "/battles", new_battle(**changes))
        assert status == 200, battle
        return battle

    return create


@pytest.fixture
def join(send, bob, services):
    """Takes a seat as bob; the battle."""

    def join(battle, seat=1, **changes):
        services.beacons.ask_all()
        body = {"seat": seat, "price": battle["cost"]} | changes
        status, joined = send(bob, "POST", f"/battles/{battle['id']}/join", body)
        assert status == 200, joined
        return joined

    return join


@pytest.fixture
def settle(services, client):
    """Settles a locked battle by a beacon that nobody has published; the battle."""

    def settle(battle):
        services.log.append_now()
        services.log.decide_locks()
        row = queries.get(battle["id"])
        signature = hashlib.sha384(battle["id"].encode()).hexdigest()
        randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
        assert services.battle_ending.settle(row.id, Beacon(row.round, signature, randomness))
        return client.get(f"/battles/{battle['id']}").json

    return settle


@pytest.fixture
def void(services, client):
    """Makes a locked battle void, as if its lock had been late; the battle."""

    def void(battle):
        services.log.append_now()
        with writing():
            Battle.update(is_lock_in_time=False).where(Battle.public_id == battle["id"]).execute()
        assert services.battle_ending.void(queries.get(battle["id"]).id, "late")
        return client.get(f"/battles/{battle['id']}").json

    return void
