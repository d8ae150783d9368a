"""What answers leave behind: each a count and a line in the log.

The production server writes them down some at a time. Between two requests the processor's caches have lost
how that goes, after an answer of half a megabyte entirely: one by one they took 30 µs each, a hundred in a
row take 3. A line may come 50 ms late, and of a process that is killed the last ones are lost.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import cast

from flask import Flask, current_app

from blueprints.common.logs import Answered, log_answers
from blueprints.realtime.server import Realtime

EXTENSION = "notes"

MOST_WAITING = 100
LONGEST_SECONDS = 0.05

Count = Callable[[str, str, int, float], None]
"""Counts an answer, given its method, route, status and seconds."""

Note = tuple[float, str | None, str, str, str, float]
"""What Answered is made of, not made yet: that too is quicker in a row."""


class Notes:
    """Writes each down at once, until it is told to wait for some."""

    def __init__(self, count: Count) -> None:
        self._count = count
        self._waiting: list[Note] = []
        self._waits = False
        self._some = threading.Event()

    def add(self, answered: Note) -> None:
        if not self._waits:
            self._write([answered])
            return
        self._waiting.append(answered)
        if len(self._waiting) == 1:
            self._some.set()
        elif len(self._waiting) >= MOST_WAITING:
            self.write_down()

    def write_down(self) -> None:
        """Write down all that waits."""
        notes, self._waiting = self._waiting, []
        if notes:
            self._write(notes)

    def wait_for_some(self) -> None:
        """Go on until ``end``: the first one waits for others, but not for long. For a task of its own."""
        self._waits = True
        while self._waits:
            self._some.wait()
            self._some.clear()
            time.sleep(LONGEST_SECONDS)
            self.write_down()

    def end(self) -> None:
        """Leave nothing waiting, from now on either."""
        self._waits = False
        self._some.set()
        self.write_down()

    def _write(self, notes: Sequence[Note]) -> None:
        answers = [Answered._make(note) for note in notes]
        for answer in answers:
            self._count(answer.method, answer.route, answer.code, answer.seconds)
        log_answers(answers)


def install_notes(app: Flask, running: Realtime, *, count: Count) -> Notes:
    """What this app's answers leave behind; written down some at a time while the production server runs."""
    kept = app.extensions[EXTENSION] = Notes(count)
    running.at_start.append(lambda: running.socketio.start_background_task(kept.wait_for_some))
    running.before_close.append(kept.end)
    return kept


def notes() -> Notes:
    """Those of the running app."""
    return cast("Notes", current_app.extensions[EXTENSION])
