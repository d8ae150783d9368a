"""Prices, items and cases that change concurrently."""

import random
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest

from models.db.connection import reading
from models.users import User
from services.cases import creating, importing
from services.items.prices import feed as feed_source
from services.shared.clock import now_ms
from services.shared.money import MAX_AMOUNT_CENTS
from tests.harness.price_sources import feed

NAMES = [f"Item {number}" for number in range(12)]
ROUNDS = 12


@pytest.fixture
def changes(app, add, source, prices, new_player):
    """What changes at once: the feed, imports of items and of cases, and a player who creates cases."""
    add(dict.fromkeys(NAMES, 1))
    player = new_player("veteran", level=25)
    with reading():
        creator = User.get_by_id(player.id)

    def by_feed(chance):
        source.answer = feed({name: chance.randint(1, MAX_AMOUNT_CENTS) for name in NAMES})
        prices.refresh(accept_jumps=True)

    def by_import_of_items(chance):
        add({name: chance.randint(1, 1000) for name in chance.sample(NAMES, 4)})

    def by_import_of_cases(chance):
        importing.import_cases(
            [{"name": f"Case {number}", "items": _contents(chance)} for number in range(5)],
            now=now_ms(),
        )

    def by_a_player(chance):
        creating.create(creator=creator, name=f"My {chance.random()}", items=_contents(chance), now=now_ms())

    return by_feed, by_import_of_items, by_import_of_cases, by_a_player


def _contents(chance):
    first, second, third = chance.sample(NAMES, 3)
    share = Decimal(chance.randint(1, 10**17)) / 10**16
    return [
        {"marketHashName": name, "percentage": percentage}
        for name, percentage in ((first, share), (second, share), (third, 100 - 2 * share))
    ]


@pytest.mark.both_databases("a race of prices, imports and new cases")
def test_case_prices_stay_exact_when_items_and_cases_change_concurrently(run, changes, monkeypatch):
    # A refresh has many transactions, and the others change items and cases between them.
    monkeypatch.setattr(feed_source, "ITEMS_A_SLICE", 2)

    def repeatedly(change):
        chance = random.Random(change.__name__)
        for _ in range(ROUNDS):
            change(chance)

    with ThreadPoolExecutor(len(changes)) as pool:
        list(pool.map(repeatedly, changes))

    assert run("ledger", "audit")["mismatches"] == 0
