"""Fixtures: a filled catalogue and its pages."""

import pytest

from tests.harness.players import import_prices


@pytest.fixture
def stock(app):  # the app has opened the database
    """Fills the catalogue: market names with their prices in coins, and further fields of each row."""
    return import_prices


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
