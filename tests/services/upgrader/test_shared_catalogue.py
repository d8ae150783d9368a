"""The catalogue of several processes: one builds it, and all show the same."""

import zlib

import pytest

from bench.harness.waiting import wait_until
from models.catalogue import CatalogueGeneration, CatalogueSlice
from models.db.connection import database, reading, writing
from models.leases import Lease
from services.shared.lease import LeaseLost
from services.shared.pagination import Place
from services.shared.signals import Signals
from services.upgrader import generations, shared_catalogue
from services.upgrader.catalogue import Sort
from services.upgrader.shared_catalogue import SharedCatalogue
from tests.support.at_once import all_at_once


class ConnectedSignals(Signals):
    """Signals to the other processes of a test, unless they are lost."""

    def __init__(self, processes):
        super().__init__()
        self._processes = processes
        self.are_lost = False
        processes.append(self)

    def publish(self, name, payload):
        for process in self._processes:
            if process is not self and not process.are_lost:
                for handler in process._handlers[name]:
                    handler(payload)


@pytest.fixture
def timer():
    """A timer that stands still until a test moves it."""
    return [0.0]


@pytest.fixture
def process(app, timer):
    """Builds the catalogue of another process."""
    connected = []

    def catalogue(*, ttl_seconds=3600):
        return SharedCatalogue(
            ttl_seconds=ttl_seconds, timer=lambda: timer[0], signals=ConnectedSignals(connected)
        )

    return catalogue


@pytest.fixture
def builds(monkeypatch):
    """Counts how often a catalogue is built."""
    seen, build = [], shared_catalogue.build
    monkeypatch.setattr(shared_catalogue, "build", lambda: seen.append(1) or build())
    return seen


@pytest.fixture
def expire(app, timer):
    """Ends the time of the newest generation, in the database and in all processes."""

    def end():
        with writing():
            CatalogueGeneration.update(expires_at_ms=database.now_ms).execute()
        timer[0] += 3600

    return end


def prices(catalogue):
    return {item.market_hash_name: item.price_cents for item in catalogue.items}


def test_a_process_shows_what_another_has_built(process, add_item, builds):
    add_item('★ Übermut | 50% "Café" \\ (Mint)', price=2, image="/media/x.png")
    add_item("One", price=1)
    add_item("Other", price=1)
    built = process().current()

    loaded = process().current()

    assert len(builds) == 1
    assert loaded.items == built.items
    found = [each.page(Place(1, 9), sort=Sort.ASCENDING, search="CAFÉ") for each in (loaded, built)]
    assert [page.total for page in found] == [1, 1]


@pytest.mark.parametrize("content", [b"damaged", zlib.compress(b"[730,1,2]"), zlib.compress(b"1")])
def test_a_catalogue_of_another_release_is_built_anew(process, add_item, builds, content):
    add_item("One", price=1)
    process().current()
    with writing():
        CatalogueSlice.update(content=content).execute()

    assert prices(process().current()) == {"One": 100}
    assert prices(process().current()) == {"One": 100}
    assert len(builds) == 2


def test_many_items_are_stored_in_slices(process, add_item, monkeypatch):
    monkeypatch.setattr(generations, "ITEMS_A_SLICE", 3)
    for number in range(20):
        add_item(f"Item {number}", price=1 + number % 4)

    built, loaded = process().current(), process().current()

    assert loaded.items == built.items
    with reading():
        assert CatalogueSlice.select().count() == 7


def test_an_empty_catalogue_is_shared_too(process, builds):
    assert [list(process().current().items) for _ in range(2)] == [[], []]
    assert len(builds) == 1


def test_a_new_generation_is_shown_by_all_processes_at_once(process, add_item, builds, expire):
    name = add_item(price=10)
    one, two = process(), process()
    old = [one.current(), two.current()]
    add_item(price=20)
    expire()

    one.current()

    wait_until(lambda: prices(two.current()) == {name: 20_00})
    assert [prices(catalogue) for catalogue in old] == [{name: 10_00}] * 2
    assert len(builds) == 2


def test_a_process_that_missed_the_signal_looks_for_the_new_generation(process, add_item, expire, timer):
    name = add_item(price=10)
    one, two = process(), process()
    for catalogue in (one, two):
        catalogue.current()
    two._signals.are_lost = True
    add_item(price=20)
    expire()
    one.current()
    # Its own time has not ended, so that no request makes it look.
    timer[0] = 0

    two.load_newest()

    wait_until(lambda: prices(two.current()) == {name: 20_00})


def test_a_current_catalogue_is_shown_without_a_query_and_looking_for_a_newer_one_takes_one(
    process, add_item, queries
):
    add_item()
    catalogue = process()
    shown = catalogue.current()
    queries.clear()

    catalogue.load_newest()

    assert catalogue.current() is shown
    assert len(queries) == 1


def test_processes_that_need_the_first_catalogue_at_once_build_it_once(process, add_item, builds):
    add_item()
    catalogues = [process() for _ in range(4)]

    shown = all_at_once([catalogue.current for catalogue in catalogues])

    assert len(builds) == 1
    assert [catalogue.items for catalogue in shown] == [shown[0].items] * 4


def test_a_catalogue_that_another_process_stores_just_before_is_not_built_again(process, add_item, builds):
    add_item()
    one, two = process(), process()
    acquire = one._lease.acquire
    one._lease.acquire = lambda: two.current() and acquire()

    assert one.current().items == two.current().items
    assert len(builds) == 1


def test_the_old_catalogue_is_shown_while_another_process_builds(process, add_item, expire, builds):
    add_item(price=10)
    one, two = process(), process()
    old = one.current()
    add_item(price=20)
    expire()
    assert two._lease.acquire()

    shown = one.current()

    assert (shown is old, len(builds)) == (True, 1)


def test_another_process_builds_when_the_lease_of_a_dead_builder_has_ended(process, add_item, expire, timer):
    name = add_item(price=10)
    one, dead = process(), process()
    one.current()
    add_item(price=20)
    expire()
    dead._lease.acquire()
    one.current()
    with writing():
        Lease.update(until_ms=1).execute()

    timer[0] += 1

    assert prices(one.current()) == {name: 20_00}


def test_a_builder_that_was_stopped_stores_nothing(process, add_item):
    add_item(price=10)
    stopped = process()
    stopped._lease.acquire()
    built = shared_catalogue.build()
    process()._lease.take_over()

    with pytest.raises(LeaseLost):
        generations.store(built, lease=stopped._lease, ttl_seconds=3600)

    assert generations.newest() is None


def test_two_generations_are_kept(process, add_item, expire):
    add_item()
    one = process()
    for _ in range(4):
        one.current()
        expire()

    with reading():
        kept = [row.id for row in CatalogueGeneration.select()]
        slices = CatalogueSlice.select().count()
    assert (len(kept), slices) == (2, 2)


def test_a_generation_that_is_deleted_while_it_is_read_is_not_shown_in_part(process, add_item, app):
    add_item()
    process().current()
    read = generations.newest()
    with writing():
        CatalogueSlice.delete().execute()

    with pytest.raises(generations.GenerationUnreadable):
        generations.load(read)


def test_a_generation_from_before_the_clock_was_set_back_is_replaced(process, add_item, builds):
    add_item()
    process().current()
    with writing():
        CatalogueGeneration.update(expires_at_ms=CatalogueGeneration.expires_at_ms + 10**9).execute()

    process().current()

    assert len(builds) == 2
