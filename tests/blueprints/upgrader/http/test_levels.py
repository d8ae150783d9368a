"""GET /upgrader/levels: what players unlock by their level."""

import pytest

from tests.harness.players import import_case, import_prices

PATH = "/upgrader/levels"
CREATING = {"level": 25, "experience": 62_500, "cases": [], "createsCases": True}


@pytest.fixture
def put(app):  # the app has opened the database
    """Imports a level case that contains one item of this price."""

    def one(name, *, price=1, **row):
        import_prices({f"Item of {name}": price})
        import_case(name, {f"Item of {name}": 100}, now=1_700_000_000_000, kind="level", **row)

    return one


def test_without_level_cases_only_creating_cases_is_unlocked(client):
    assert client.get(PATH).json == [CREATING]


def test_each_level_lists_its_cases_the_cheapest_first(client, put):
    put("Level 10", price=9.5)
    put("Level fun", price=1.9, level=10)
    put("Level 25", price=1.9)
    put("Level gift", price=1.9, level=0)

    assert client.get(PATH).json == [
        {
            "level": 0,
            "experience": 0,
            "cases": [{"id": "level-gift", "name": "Level gift", "price": 2}],
            "createsCases": False,
        },
        {
            "level": 10,
            "experience": 10_000,
            "cases": [
                {"id": "level-fun", "name": "Level fun", "price": 2},
                {"id": "level-10", "name": "Level 10", "price": 10},
            ],
            "createsCases": False,
        },
        CREATING | {"cases": [{"id": "level-25", "name": "Level 25", "price": 2}]},
    ]
