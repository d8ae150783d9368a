"""Long work that lets others run in between."""

import math

from greenlet import getcurrent, greenlet

from services import aside
from services.aside import Pace, in_slices, used_up


def test_work_pauses_when_it_has_gone_on_for_long_enough(monkeypatch):
    pauses = []
    monkeypatch.setattr(aside, "pause", lambda: pauses.append(aside.WORK_SECONDS))
    monkeypatch.setattr(aside, "PAUSE_SECONDS", 0)

    for seconds in (3600, 0):
        monkeypatch.setattr(aside, "WORK_SECONDS", seconds)
        Pace()()

    assert pauses == [0]


def test_who_wakes_just_after_another_has_worked_pauses_again(monkeypatch):
    worked_at = [-math.inf, math.inf]
    monkeypatch.setattr(aside, "pause", lambda: monkeypatch.setattr(Pace, "worked_at", worked_at.pop()))
    monkeypatch.setattr(aside, "WORK_SECONDS", 0)

    Pace()()

    assert worked_at == []


def test_works_that_pause_take_turns(monkeypatch):
    """Each as long as a slice; a pause lets the others come to theirs."""
    monkeypatch.setattr(aside, "WORK_SECONDS", 0)
    monkeypatch.setattr(aside, "PAUSE_SECONDS", 0)
    done = []

    def work(name):
        pace = Pace()
        for _ in range(3):
            done.append(name)
            pace()

    works = [greenlet(work) for _ in "abc"]
    monkeypatch.setattr(aside, "pause", getcurrent().switch)
    for each, name in zip(works, "abc", strict=True):
        each.switch(name)
    while any(works):
        for each in reversed(works):
            if each:
                each.switch()

    assert "".join(done) == "abcabcabc"


def test_slices_leave_nothing_out():
    assert list(in_slices(range(7), 3)) == [0, 1, 2, 3, 4, 5, 6]


def test_what_is_used_up_is_let_go_of_as_it_is_taken():
    things = ["a", "b", "c"]

    left = [(thing, len(things)) for thing in used_up(things)]

    assert left == [("a", 2), ("b", 1), ("c", 0)]
