"""The catalogue of several processes: one stores it, and all show the same."""

import pytest

from models.db.connection import database, reading, writing
from models.items import SharedItem
from models.processes import Lease
from services.items import catalogue as catalogue_module
from services.items.catalogue import STORED, CatalogueCache, Sort
from services.shared.pagination import Place
from tests.harness.waiting import wait_until
from tests.support.at_once import all_at_once
from tests.support.markers import postgresql_only

# SQLite serves one process.
pytestmark = postgresql_only


@pytest.fixture
def timer():
    """A timer that stands still until a test moves it."""
    return [0.0]


@pytest.fixture
def process(app, timer):
    """Builds the catalogue of another process."""
    return lambda: CatalogueCache(ttl_seconds=3600, timer=lambda: timer[0])


@pytest.fixture
def expire(app, timer):
    """Ends the time of the stored catalogue, in the database and in all processes."""

    def end():
        with writing():
            Lease.update(until_ms=database.now_ms).where(STORED).execute()
        timer[0] += 3600

    return end


@reading()
def times_stored():
    """How often the catalogue was stored, or published: the import of the first items publishes it."""
    return Lease.get(STORED).epoch


def prices(catalogue):
    return {item.market_hash_name: item.price_cents for item in catalogue.items}


def test_a_process_shows_what_another_has_stored(process, add_item):
    add_item('★ Übermut | 50% "Café" \\ (Mint)', price=2, image="/media/x.png")
    add_item("One", price=1)
    add_item("Other", price=1)
    stored = process().current()
    add_item("New", price=1)

    loaded = process().current()

    assert times_stored() == 2
    assert loaded.items == stored.items
    found = [each.page(Place(1, 9), sort=Sort.ASCENDING, search="CAFÉ") for each in (loaded, stored)]
    assert [page.total for page in found] == [1, 1]


def test_all_processes_show_an_emptied_catalogue(process, add_item, expire):
    name = add_item(price=10)
    catalogues = [process() for _ in range(2)]
    assert [prices(catalogue.current()) for catalogue in catalogues] == [{name: 10_00}] * 2
    add_item(price=None)
    expire()

    stored = times_stored()
    assert [prices(catalogue.current()) for catalogue in catalogues] == [{}] * 2
    assert [prices(catalogue.current()) for catalogue in catalogues] == [{}] * 2

    # Looking again stores nothing, so that processes do not keep each other busy.
    assert times_stored() == stored
    add_item(price=20)
    assert [prices(catalogue.current()) for catalogue in catalogues] == [{name: 20_00}] * 2


def test_a_new_catalogue_is_loaded_by_all_processes(process, add_item, expire, timer):
    name = add_item(price=10)
    one, two = process(), process()
    old = [one.current(), two.current()]
    add_item(price=20)
    expire()
    one.current()
    # The other's own time has not ended, so that no request makes it look.
    timer[0] = 0

    two.load_newest()

    wait_until(lambda: prices(two.current()) == {name: 20_00})
    assert [prices(catalogue) for catalogue in old] == [{name: 10_00}] * 2
    assert times_stored() == 3


def test_processes_store_the_first_catalogue_once(process, add_item):
    add_item()
    catalogues = [process() for _ in range(4)]

    shown = all_at_once([catalogue.current for catalogue in catalogues])

    assert times_stored() == 2
    assert [catalogue.items for catalogue in shown] == [shown[0].items] * 4


def test_the_old_catalogue_stays_while_another_is_stored(process, add_item, expire, monkeypatch):
    monkeypatch.setattr(catalogue_module, "REBUILD_WAIT_SECONDS", 0.1)
    name = add_item(price=10)
    one, two = process(), process()
    old = one.current()
    add_item(price=20)
    expire()

    with writing():
        two._store_if_expired()
        shown = all_at_once([one.current])

    assert shown == [old]
    wait_until(lambda: prices(one.current()) == {name: 20_00})
    assert times_stored() == 3


def test_a_process_that_dies_storing_leaves_the_old_catalogue(process, add_item, expire):
    name = add_item(price=10)
    process().current()
    add_item(price=20)
    expire()
    with writing(), database.atomic() as transaction:
        process()._store_if_expired()
        transaction.rollback()

    with reading():
        left = list(SharedItem.select(SharedItem.market_hash_name, SharedItem.price_cents).tuples())

    assert left == [(name, 10_00)]
    assert prices(process().current()) == {name: 20_00}
