"""One process at a time refreshes prices, the leader; another takes over when it stops or dies."""

import pytest

from models.cases import Case
from models.db.connection import reading, writing
from models.items import HeldMarketPrice, Item, MarketSlot, PriceSource
from models.processes import Lease as Row
from services.items.prices import feed as price_feed
from services.items.prices.service import Stopped
from services.shared.lease import Lease, LeaseLost
from tests.harness.price_sources import feed, market, text

NAMES = [f"Item {number:03}" for number in range(30)]
"""Two slices of a refresh."""


@pytest.fixture(autouse=True)
def _small_slices(monkeypatch):
    monkeypatch.setattr(price_feed, "ITEMS_A_SLICE", 15)


@pytest.fixture
def items(add):
    add(dict.fromkeys(NAMES, 1))


@pytest.fixture
def during_a_request(source):
    """Has the source answer well, after calling a function."""

    def call(function, good):
        def answer(request):
            source.answer = good
            function()
            return good(request)

        source.answer = answer

    return call


def test_two_processes_do_not_refresh_at_the_same_time(prices, source, another, add, during_a_request):
    other = another()

    def run_the_other():
        # Makes a refresh due at once.
        add({"New": None})
        other.run_due()

    during_a_request(run_the_other, feed({}))
    prices.run_due()

    assert len(source.requests) == 1


def test_another_process_repeats_the_refresh_of_a_leader_that_stopped(
    prices, source, another, add, stored_prices, during_a_request
):
    add({"One": 1})
    during_a_request(prices.stop, feed({"One": 150}))
    with pytest.raises(Stopped):
        prices.run_due()
    prices.release()
    after_the_stop = stored_prices()

    another().run_due()

    assert (after_the_stop, stored_prices()) == ({"One": 100}, {"One": 150})


def test_the_command_takes_the_lead_and_gives_it_back(
    prices, another, source, items, clock, stored_prices, during_a_request
):
    of_the_command = another()
    good = feed(dict.fromkeys(NAMES, 200))
    during_a_request(lambda: of_the_command.refresh(accept_jumps=False), good)
    with pytest.raises(LeaseLost):
        prices.run_due()
    after_the_command = set(stored_prices().values())
    clock.advance(hours=1)

    prices.run_due()

    assert (after_the_command, len(source.requests), prices.is_leader) == ({200}, 3, True)


@pytest.mark.both_databases("a lease that fences writes")
def test_a_lease_that_lasts_implausibly_long_is_free(prices, source, items):
    """It was taken before the database's clock was set back."""
    source.answer = feed({})
    with writing():
        Row.update(until_ms=Row.until_ms + 2**42).execute()

    prices.run_due()

    assert len(source.requests) == 1


@pytest.fixture
def stored(app):
    """Returns everything that a refresh writes."""

    def rows():
        with reading():
            tables = (Item, Case, PriceSource, MarketSlot, HeldMarketPrice)
            return [list(table.select().order_by(*table._meta.sorted_fields).dicts()) for table in tables]

    return rows


@pytest.fixture
def lose_before(monkeypatch, stored):
    """Lets another process take the lease before the transaction of this number; what is stored then."""
    fenced = Lease.fenced

    def at(number):
        begun, stored_then = [], []

        def count(self, **options):
            begun.append(1)
            if len(begun) == number:
                Lease("price refresh").take_over()
                stored_then.append(stored())
            return fenced(self, **options)

        monkeypatch.setattr(Lease, "fenced", count)
        return stored_then

    return at


ANSWERS = {
    "good": (feed(dict.fromkeys(NAMES[:-1], 150)), market("$2.00"), 7),
    "bad of the market": (feed(dict.fromkeys(NAMES[:-1], 150)), text("", status=500), 7),
    "bad of the feed": (text("no document"), market("$2.00"), 2),
}
"""Answers of a feed and a market, and the number of transactions."""


@pytest.mark.both_databases("a lease that fences writes")
@pytest.mark.parametrize(("by_feed", "by_market", "transactions"), ANSWERS.values(), ids=ANSWERS)
def test_a_leader_without_its_lease_writes_nothing_more(
    another, source, add, clock, lose_before, stored, by_feed, by_market, transactions
):
    add(dict.fromkeys(NAMES, 1))
    source.answer = lambda asked: (by_market if "market_hash_name" in asked.args else by_feed)(asked)
    changed = []

    for number in range(1, transactions + 2):
        clock.advance(hours=2)
        stored_then = lose_before(number)
        prices = another(PRICE_MARKET_URL=source.url)
        prices._lease.take_over()
        try:
            prices.run_due()
        except LeaseLost:
            changed.append(stored() != stored_then[0])

    assert changed == [False] * transactions
