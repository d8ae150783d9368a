"""Large answers take turns, so that nothing short waits for many of them.

Half a megabyte keeps the process busy for 200 µs. A spin comes back to the loop some twenty times, for the
next piece of its message, for the database, for its answer; of eight such answers written in every round of
it, a spin of 3 ms took 45.
"""

from collections import deque
from collections.abc import Sized
from typing import Any

import gevent
from gevent.hub import Waiter

AMONG_THEMSELVES = 8
"""So many go in one round when nobody else is there: a round for each would cost a tenth of their number."""

EVERY_ROUND = 2
"""libev's highest priority. An idle watcher of any lower one is passed over while something else goes on."""


class Turns:
    """Who may write something large in this round of the loop: first come, first served.

    A turn is for one write that doesn't wait, and need not be given back.
    """

    def __init__(self, present: Sized) -> None:
        """``present`` are all who are being answered or have a socket; who waits for a turn is among them."""
        self._present = present
        self._waiting: deque[Waiter] = deque()
        self._rounds: Any = None
        self._round = 0
        self._taken = 0
        self._last: object = None

    def take(self, who: object) -> None:
        """Wait for a turn. Who has just had one may go on in the same round, as far as others may."""
        self._begin_round()
        is_next = not self._waiting or who is self._last
        if not is_next or self._taken >= self._most:
            self._wait()
        self._taken += 1
        self._last = who

    @property
    def _most(self) -> int:
        are_alone = len(self._present) <= len(self._waiting) + 1
        return AMONG_THEMSELVES if are_alone else 1

    def _begin_round(self) -> None:
        now = gevent.get_hub().loop.iteration
        if now != self._round:
            self._round, self._taken, self._last = now, 0, None

    def _wait(self) -> None:
        if self._rounds is None:
            self._rounds = gevent.get_hub().loop.idle(priority=EVERY_ROUND)
        if not self._rounds.active:
            self._rounds.start(self._next)
        waiter = Waiter()
        self._waiting.append(waiter)
        try:
            waiter.get()
        except BaseException:
            # The server ends, and nobody is here any more to be told.
            self._waiting.remove(waiter)
            raise

    def _next(self) -> None:
        """In every round of the loop, after it has looked for what has come."""
        self._begin_round()
        if self._waiting:
            self._waiting.popleft().switch(None)
        else:
            self._rounds.stop()
