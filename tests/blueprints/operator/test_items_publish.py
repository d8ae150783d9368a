"""When running servers show imported items: at once, after CATALOGUE_TTL, or after flask items publish."""

import pytest
import requests

from tests.harness.waiting import wait_until

SOON = 2
TTL = 3600


@pytest.fixture
def put(run, write):
    """Imports this item at this price; within how many seconds servers show it."""

    def put_one(name, price):
        rows = [{"appid": 730, "marketHashName": name, "price": price}]
        return run("items", "import", write(rows))["shownWithinSeconds"]

    return put_one


def shown(url):
    """The prices of a running server's upgrader by name."""
    items = requests.get(f"{url}/upgrader/items", timeout=10).json()
    return {item["marketHashName"]: item["price"] for item in items}


def test_publishing_makes_a_running_server_show_the_current_items(server, put, run):
    assert shown(server) == {}
    assert put("One", 1) == SOON
    assert shown(server) == {"One": "$1.00"}
    assert put("Two", 2) == TTL
    put("One", "$1.50")
    assert shown(server) == {"One": "$1.00"}

    assert run("items", "publish") == {"items": 2, "shownWithinSeconds": SOON}

    wait_until(lambda: shown(server) == {"One": "$1.50", "Two": "$2.00"})


def test_a_server_that_lost_all_prices_shows_new_ones_soon(server, put):
    put("One", 1)
    assert shown(server) == {"One": "$1.00"}
    put("One", None)
    assert shown(server) == {"One": "$1.00"}

    assert put("Two", 2) == SOON

    wait_until(lambda: shown(server) == {"Two": "$2.00"})
