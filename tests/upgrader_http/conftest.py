"""What these tests have in common: a catalogue to look at."""

import pytest

from services import item_import
from services.clock import now_ms


@pytest.fixture
def stock(app):  # the app has opened the database
    """Fills the catalogue: market names with their prices in coins, or rows with more to them."""

    def fill(prices=(), rows=()):
        named = [{"marketHashName": name, "price": price} for name, price in dict(prices).items()]
        document = [{"appid": 730} | row for row in [*named, *rows]]
        item_import.import_document(document, app_id=None, now=now_ms())

    return fill


@pytest.fixture
def page(client):
    """Asks for one page with these parameters; what it says."""

    def ask(**parameters):
        answer = client.get("/upgrader/items/pagination", query_string=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json

    return ask


def names(items):
    """The items by their full names, in their order."""
    return [item["marketHashName"] for item in items]
