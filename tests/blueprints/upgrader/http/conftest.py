"""Fixtures: a filled catalogue and its pages."""

import pytest

from services.items import importing as items_importing
from services.shared.clock import now_ms


@pytest.fixture
def stock(app):  # the app has opened the database
    """Fills the catalogue: market names with their prices in coins, or whole rows."""

    def fill(prices=(), rows=()):
        named = [{"marketHashName": name, "price": price} for name, price in dict(prices).items()]
        document = [{"appid": 730} | row for row in [*named, *rows]]
        items_importing.import_document(document, app_id=None, now=now_ms())

    return fill


@pytest.fixture
def page(client):
    """Requests one page with these parameters and returns its JSON."""

    def ask(**parameters):
        answer = client.get("/upgrader/items/pagination", query_string=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json

    return ask


def names(items):
    """The full names of the items, in their order."""
    return [item["marketHashName"] for item in items]
