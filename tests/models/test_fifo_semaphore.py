"""Waiting in turn for a slot, such as a database connection."""

import threading
from types import SimpleNamespace

import pytest

from models.db import waiting
from models.db.waiting import FifoSemaphore


class WaiterEnded(BaseException):
    """As gevent raises in a greenlet that is killed."""


def end_waits(monkeypatch, *, before):
    """Let each wait for a turn end by an exception, after this call."""

    class Turn(threading.Event):
        def wait(self, timeout=None):  # the signature of Event
            before()
            raise WaiterEnded

    monkeypatch.setattr(waiting, "threading", SimpleNamespace(Event=Turn, Lock=threading.Lock))


def test_a_slot_is_not_given_to_an_ended_waiter(monkeypatch):
    slots = FifoSemaphore(1)
    end_waits(monkeypatch, before=lambda: None)

    with slots.hold(timeout_seconds=1), pytest.raises(WaiterEnded):
        slots.acquire(timeout_seconds=1)

    assert (slots.free, slots.waiting) == (1, 0)


def test_a_slot_given_to_an_ending_waiter_is_given_back(monkeypatch):
    slots = FifoSemaphore(1)
    end_waits(monkeypatch, before=slots.release)
    slots.acquire(timeout_seconds=1)

    with pytest.raises(WaiterEnded):
        slots.acquire(timeout_seconds=1)

    assert (slots.free, slots.waiting) == (1, 0)
