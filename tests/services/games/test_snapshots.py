"""Snapshots: the canonical JSON of cases, how it is stored, and how long."""

import sqlite3
import time
from contextlib import closing
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.harness.spins import Clock
from models.db.connection import reading, writing
from models.snapshots import Snapshot
from services.games import snapshots
from services.games.snapshots import InvalidSnapshot, content_of, parse
from services.shared.clock import DAY_MS
from tests.support.at_once import all_at_once
from tests.support.golden_vectors import OPENINGS, REFUSED_OPENINGS
from tests.support.markers import sqlite_only

NOW = 1_700_000_000_000
CASE = content_of(
    case_id="desert-case", price_cents=1234, items=[("Ω | “Q”", 5, 10**16), ("é\n\x7f", 0, 99 * 10**16)]
)
OTHER = content_of(case_id="desert-case", price_cents=1235, items=[("Pen", 5, 10**18)])

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200)
CENTS = st.integers(0, 10**11)
CONTENTS = st.builds(
    lambda case_id, price, items: content_of(
        case_id=case_id,
        price_cents=price,
        items=[*((name, cents, 1) for name, cents in items), ("the rest", 1, 10**18 - len(items))],
    ),
    NAMES,
    CENTS,
    st.lists(st.tuples(NAMES, CENTS), max_size=20),
)


@pytest.fixture
def clock(app):  # the app has opened the database
    return Clock(NOW)


@pytest.fixture
def show(clock):
    """Shows this content now."""
    return lambda content: snapshots.show(content, now=clock())


def hashes():
    with reading():
        return {row.hash for row in Snapshot.select()}


@given(CONTENTS)
def test_the_canonical_json_gives_the_content_back(content):
    assert parse(content.text) == content


VALID = OPENINGS[0]["input"]["content"]
INVALID = {
    vector["why"]: text for vector in REFUSED_OPENINGS if (text := vector["input"]["content"]) != VALID
} | {
    "nothing": "",
    "a newline at the end": CASE.text + "\n",
    "half a surrogate pair": CASE.text.replace("Ω", "\\ud800"),
    "a deep list": "[" * 100_000,
}


@pytest.mark.parametrize("text", INVALID.values(), ids=INVALID)
def test_any_other_text_is_refused(text):
    with pytest.raises(InvalidSnapshot):
        parse(text)


def test_a_shown_snapshot_is_stored_once(show, queries):
    show(CASE)
    queries.clear()
    show(CASE)

    assert [sql.split()[0] for sql, _ in queries] == ["SELECT"]
    assert snapshots.text_of(CASE.hash) == CASE.text


def test_a_snapshot_that_is_shown_for_a_day_is_kept(show, clock):
    for _ in range(50):
        show(CASE)
        show(OTHER)
        clock.now += DAY_MS // 24

    assert hashes() == {CASE.hash, OTHER.hash}


def test_a_day_after_it_was_last_shown_an_unopened_snapshot_is_deleted(show, clock):
    show(CASE)
    clock.now += DAY_MS + 1
    show(OTHER)

    assert hashes() == {OTHER.hash}


def test_an_opened_snapshot_is_never_deleted(show, clock):
    show(CASE)
    id_ = snapshots.id_for_bet(CASE)
    clock.now += 2 * DAY_MS
    show(OTHER)

    assert hashes() == {CASE.hash, OTHER.hash}
    assert snapshots.id_for_bet(CASE) == id_


def test_a_snapshot_that_a_restored_database_lacks_is_stored_again(app):
    id_ = snapshots.id_for_bet(CASE)
    with writing():
        Snapshot.delete().execute()
        Snapshot.insert(hash="0" * 64, content="", shown_at_ms=NOW).execute()

    assert snapshots.id_for_bet(CASE) == id_
    assert snapshots.text_of(CASE.hash) == CASE.text


def test_a_snapshot_whose_id_is_taken_does_not_keep_others_from_being_stored(show, log_lines):
    with writing():
        id_ = int(CASE.hash[: snapshots.ID_DIGITS], 16)
        Snapshot.insert(id=id_, hash="0" * 64, content="", shown_at_ms=NOW).execute()

    show(CASE)
    show(OTHER)

    assert hashes() == {"0" * 64, OTHER.hash}
    [line] = log_lines()
    assert line["message"] == "snapshot not stored"
    assert line["failure"].startswith("IntegrityError ")


@sqlite_only
def test_a_snapshot_is_not_stored_rather_than_wait_for_a_writer_of_another_process(
    show, database_url, monkeypatch
):
    monkeypatch.setattr(snapshots, "WAIT_SECONDS", 60)

    with closing(sqlite3.connect(database_url.removeprefix("sqlite:///"), isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        began = time.monotonic()
        show(CASE)
        seconds = time.monotonic() - began
    stored_meanwhile = hashes()
    show(CASE)

    assert seconds < 30
    assert stored_meanwhile == set()
    assert hashes() == {CASE.hash}


@pytest.mark.slow
def test_threads_that_show_and_open_one_snapshot_store_it_once(show):
    opening, showing = partial(snapshots.id_for_bet, CASE), partial(show, CASE)

    ids = set(all_at_once([opening, showing] * 4)) - {None}

    with reading():
        (row,) = Snapshot.select()
    assert (ids, row.is_opened) == ({row.id}, True)


@pytest.mark.slow
def test_a_snapshot_that_is_opened_while_it_is_being_deleted_is_there_afterwards(show, clock):
    def shown_for_the_last_time(number):
        old = content_of(case_id=f"old-{number}", price_cents=1, items=[("Pen", 5, 10**18)])
        show(old)
        clock.now += DAY_MS + 1
        return old

    for number in range(20):
        old = shown_for_the_last_time(number)
        new = content_of(case_id=f"new-{number}", price_cents=1, items=[("Pen", 5, 10**18)])
        # Showing another snapshot deletes the old one.
        _, opened = all_at_once([partial(show, new), partial(snapshots.id_for_bet, old)])
        with reading():
            row = Snapshot.get_or_none(Snapshot.id == opened)
        assert row is not None
        assert (row.hash, row.is_opened) == (old.hash, True)
