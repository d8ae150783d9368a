"""LOG_SIGNING_KEY and LOG_NEXT_KEY: who signs, what is announced, and what is refused."""

import base64
import json
from functools import partial

import pytest

from models.db.connection import reading, writing
from models.log import LogEntry, WaitingEntry
from services.log import sequencer
from services.log.notes import LogKeys, SigningKey
from services.shared.errors import Refusal, Unavailable
from tests.blueprints.log.conftest import ORIGIN, content
from tests.support.lost_log import redraw as redraw_seeds
from tests.support.lost_log import restore_log, resume, stored_log

NEXT = b"the next key of log of the tests"
NEXT_KEY = base64.b64encode(NEXT).decode()

pytestmark = pytest.mark.security("The public log")


def log_of(app):
    return app.extensions["services"].log


def verifier_key(seed, origin=ORIGIN):
    return SigningKey(name=origin, seed=seed).verifier_key


@reading()
def announcements():
    """The entries of the log that announce keys."""
    return [text for (text,) in LogEntry.select(LogEntry.text).tuples() if "nextKey" in json.loads(text)]


@pytest.fixture
def with_next_key(make_app, clock, logged_spin):
    """A process that has the next key, too. The log has entries."""
    logged_spin()
    return make_app(clock=clock, LOG_NEXT_KEY=NEXT_KEY)


def test_nothing_is_signed_with_another_key_than_the_last(make_app, logged_spin, spin):
    logged_spin()
    spin()
    before = stored_log()
    other = log_of(make_app(LOG_SIGNING_KEY=NEXT_KEY))

    for step in (
        other.append_now,
        other.watch,
        partial(redraw_seeds, other),
        other.log_commitments,
        other.file,
    ):
        with pytest.raises(Unavailable):
            step()

    assert stored_log() == before


def test_a_server_with_another_key_does_not_start(make_app, logged_spin):
    logged_spin()

    with pytest.raises(Refusal, match="LOG_SIGNING_KEY"):
        log_of(make_app(LOG_SIGNING_KEY=NEXT_KEY)).check(with_origin=True)


def test_the_next_key_is_announced_once(with_next_key):
    log = log_of(with_next_key)

    for _ in range(3):
        log.append_waiting()
    redraw_seeds(log_of(with_next_key))
    log.append_waiting()

    (announced,) = announcements()
    present, _ = log.keys.verifier_keys(ORIGIN)
    announcement = content(announced.encode())
    assert (announcement["key"], announcement["nextKey"]) == (present, verifier_key(NEXT))


def test_checkpoints_carry_the_signatures_of_both_keys(with_next_key, log):
    log_of(with_next_key).append_waiting()

    note = sequencer.stored_log().checkpoint

    assert len(note.rpartition("\n\n")[2].splitlines()) == 2
    assert LogKeys([NEXT]).open_checkpoint(note).origin == ORIGIN
    assert log.keys.open_checkpoint(note).origin == ORIGIN


def test_the_log_goes_on_after_the_switch_to_the_next_key(with_next_key, make_app, clock, spin):
    log_of(with_next_key).append_waiting()
    size = sequencer.stored_log().size
    spin()
    switched = log_of(make_app(clock=clock, LOG_SIGNING_KEY=NEXT_KEY))

    switched.check(with_origin=True)
    switched.watch()
    switched.append_waiting()

    assert switched.checkpoint().origin == ORIGIN
    assert switched.checkpoint().size == size + 1


def test_a_successor_announces_the_next_key_under_its_own_name(with_next_key):
    log = log_of(with_next_key)
    backup = stored_log()
    log.append_waiting()
    restore_log(backup)

    resume(log)
    log.append_waiting()

    *_, last = announcements()
    assert content(last.encode())["nextKey"] == verifier_key(NEXT, log.checkpoint().origin)


def test_a_key_that_somebody_puts_into_the_queue_is_never_logged(log, logged_spin):
    logged_spin()
    with writing():
        text = json.dumps({"at": 1, "nextKey": verifier_key(b"a" * 32), "v": 1}, separators=(",", ":"))
        WaitingEntry.insert(entry=LogEntry.create(text=text).id).execute()

    log.append_now()
    redraw_seeds(log)

    # The spin, its player's commitment, and the epoch.
    assert log.checkpoint().size == 3
