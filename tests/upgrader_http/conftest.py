"""What these tests have in common: a catalogue to look at, and counting what is asked of the database."""

import logging

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


@pytest.fixture
def queries():
    """The statements that have reached the database so far, from any thread.

    Except those about bets: the background task that reveals seeds asks for them in its own time.
    """
    seen = []

    class Collector(logging.Handler):
        def emit(self, record):
            if record.name == "peewee" and '"bets"' not in record.msg[0]:
                seen.append(record.msg[0])

    collector, log = Collector(), logging.getLogger("peewee")
    log.addHandler(collector)
    log.setLevel(logging.DEBUG)
    yield seen
    log.removeHandler(collector)
    log.setLevel(logging.NOTSET)


def names(items):
    """The items by their full names, in their order."""
    return [item["marketHashName"] for item in items]
