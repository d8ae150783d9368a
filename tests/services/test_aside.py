"""Long work that lets others run in between."""

from services import aside
from services.aside import WORK_SECONDS, Pace, in_slices, used_up


def test_work_pauses_each_time_that_it_has_gone_on_for_long_enough(monkeypatch):
    now, paused_at = [0.0], []
    monkeypatch.setattr(aside, "pause", lambda: paused_at.append(now[0] / WORK_SECONDS))
    pace = Pace(timer=lambda: now[0])

    for _ in range(9):
        now[0] += WORK_SECONDS / 2
        pace()

    assert paused_at == [1, 2, 3, 4]


def test_slices_leave_nothing_out():
    assert list(in_slices(range(7), 3)) == [0, 1, 2, 3, 4, 5, 6]


def test_what_is_used_up_is_let_go_of_as_it_is_taken():
    things = ["a", "b", "c"]

    left = [(thing, len(things)) for thing in used_up(things)]

    assert left == [("a", 2), ("b", 1), ("c", 0)]
