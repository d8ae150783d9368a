"""What answers and events leave behind: each a count and a line in the log.

The production server writes them down some at a time. Between two requests the processor's caches have lost
how that goes, after an answer of half a megabyte entirely: one by one they took 30 µs each, a hundred in a
row take 2. A line may come 50 ms late, and of a process that is killed the last ones are lost.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from flask import Flask, current_app

from blueprints.common import repeated_lines
from blueprints.common.logs import Answered, Handled, answers_log, events_log, log_together
from blueprints.realtime.server import Realtime

EXTENSION = "notes"

PLAYED = ("won", "lost")
"""Outcomes with a line for each event. A client can cause refusals at will, so they are counted."""

MOST_WAITING = 100
LONGEST_SECONDS = 0.05

CountAnswers = Callable[[str, str, int, Sequence[float]], None]
"""Counts answers of one method, route and status, given the seconds of each."""

CountEvent = Callable[[str, str], None]
"""Counts an event, given its name and how it ended."""

AnswerNote = tuple[float, str | None, str, str, str, float]
"""What Answered is made of, not made yet: that too is quicker in a row."""

Note = TypeVar("Note")


class Notes(Generic[Note]):
    """Writes each down at once, until it is told to wait for some."""

    def __init__(self, write: Callable[[Sequence[Note]], None]) -> None:
        self._write = write
        self._waiting: list[Note] = []
        self._waits = False
        self._some = threading.Event()

    def add(self, note: Note) -> None:
        if not self._waits:
            self._write([note])
            return
        self._waiting.append(note)
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


@dataclass(frozen=True)
class AllNotes:
    """Those of one app."""

    answers: Notes[AnswerNote]
    events: Notes[Handled]

    def write_down(self) -> None:
        """Write down all that waits."""
        self.answers.write_down()
        self.events.write_down()


def install_notes(
    app: Flask, running: Realtime, *, count_answers: CountAnswers, count_event: CountEvent
) -> AllNotes:
    """What this app's answers and events leave behind; written down some at a time in production."""

    def write_answers(notes: Sequence[AnswerNote]) -> None:
        answers = [Answered._make(note) for note in notes]
        seconds: dict[tuple[str, str, int], list[float]] = {}
        for answer in answers:
            seconds.setdefault((answer.method, answer.route, answer.code), []).append(answer.seconds)
        for alike, each in seconds.items():
            count_answers(*alike, each)
        log_together(answers_log, answers)

    def write_events(events: Sequence[Handled]) -> None:
        played = []
        for event in events:
            count_event(event.name, event.outcome)
            if event.outcome in PLAYED:
                played.append(event)
            else:
                repeated_lines.log.info("event", extra={"event": event.name, "outcome": event.outcome})
        if played:
            log_together(events_log, played)

    kept = app.extensions[EXTENSION] = AllNotes(Notes(write_answers), Notes(write_events))
    for each in (kept.answers, kept.events):
        _write_in_the_background(each, running)
    return kept


def _write_in_the_background(kept: Notes[Note], running: Realtime) -> None:
    running.at_start.append(lambda: running.socketio.start_background_task(kept.wait_for_some))
    running.before_close.append(kept.end)


def notes() -> AllNotes:
    """Those of the running app."""
    return cast("AllNotes", current_app.extensions[EXTENSION])
