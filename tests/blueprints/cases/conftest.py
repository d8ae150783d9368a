"""Fixtures of the case tests: an inventory, cases with its items, and a player of level 25."""

import json

import pytest

from tests.harness.players import import_case, import_prices

INVENTORY = {"Gun | Red (Field-Tested)": 10, "Gun | Blue (Factory New)": 20, "Gloves": 0.5}
RED, BLUE, GLOVES = INVENTORY
OTHER_GAME = {"Rock": 1}
ROCK = "Rock"


@pytest.fixture
def prices(app):  # the app has opened the database
    """Imports items of the first game (or of another): names with their prices in coins."""
    return import_prices


@pytest.fixture
def inventory(prices):
    """Three items of the first game and one of the second."""
    prices(INVENTORY)
    prices(OTHER_GAME, appid=252490)


@pytest.fixture
def put(inventory):
    """Imports one case with these items and percentages, by default with gloves only."""
    times = iter(range(1_700_000_000_000, 1_800_000_000_000))

    def one(name, contents=None, *, kind=None, now=None):
        row = {"kind": kind} if kind else {}
        import_case(name, contents or {GLOVES: 100}, now=now or next(times), **row)

    return one


@pytest.fixture
def veteran(new_player):
    """A player of level 25."""
    return new_player("veteran", level=25)


def body(name="My Case", contents=None):
    """The body of a request to create a case, by default of half red guns and half gloves."""
    return {"name": name, "items": wanted(contents or {RED: 50, GLOVES: 50})}


def wanted(contents):
    return [{"marketHashName": name, "percentage": value} for name, value in contents.items()]


@pytest.fixture
def create(client, veteran, inventory):
    """Sends this body as the veteran or another player, and returns the status and the JSON."""

    def send(content, player=veteran):
        text = content if isinstance(content, str) else json.dumps(content)
        json_type = "application/json"
        answer = client.post("/api/cases/create", headers=player.headers, data=text, content_type=json_type)
        return answer.status_code, answer.json

    return send


def names(cases):
    return [case["name"] for case in cases]
