"""Long work of the processor, done aside: on greenlets it must not hold up everybody else.

A process that is patched for gevent does it in a native thread while its loop goes on; on threads it is
done where it is asked for. Either way only so much runs at once, and only so much waits.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, ClassVar, ParamSpec, TypeVar

import gevent
from gevent import monkey

from models.fair_slots import FairSlots
from services.errors import PlatformError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Thing = TypeVar("Thing")


PAUSE_SECONDS = 0.001
# Not 0: gevent goes on with whoever sleeps for no time up to 50 times before it looks at the network.


def pause() -> None:
    """Let others run for a moment in the middle of long work that can't be done aside."""
    time.sleep(PAUSE_SECONDS)


WORK_SECONDS = 0.004


class Pace:
    """Called now and then in the middle of long work, it pauses when the work has gone on for long enough.

    By the time and not by a count: a pause takes a millisecond although nobody else may want to run, and
    what a slice takes depends on the machine and on what is in it. Of ten that pause at once ten would wake
    at once, and work one after the other before anybody looks at the network: they take turns instead.
    """

    waiting: ClassVar[deque["Pace"]] = deque()
    worked_at: ClassVar[float] = 0.0
    """When any of them last paused, by the monotonic clock."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def __call__(self) -> None:
        if time.monotonic() - self._since < WORK_SECONDS:
            return
        Pace.worked_at = time.monotonic()
        self.waiting.append(self)
        try:
            pause()
            while self.waiting[0] is not self or time.monotonic() - Pace.worked_at < PAUSE_SECONDS / 2:
                pause()
        finally:
            self.waiting.remove(self)
        self._since = time.monotonic()


def in_slices(things: Iterable[Thing], size: int) -> Iterator[Thing]:
    """The same things; after each so many it is seen whether others should run."""
    pace = Pace()
    for number, thing in enumerate(things, start=1):
        yield thing
        if number % size == 0:
            pace()


def used_up(things: list[Thing]) -> Iterator[Thing]:
    """The same things; the list lets go of each when it is taken. Tens of thousands at once take 16 ms."""
    things.reverse()
    while things:
        yield things.pop()


class TooBusy(PlatformError):
    """More work is waiting than will be done soon."""

    status = 503
    text = "The service is busy"
    retry_after_seconds = 5


class Aside:
    """Room for so much work at once, and for so much waiting. ``len()`` is how much is being done."""

    def __init__(self, *, at_once: int = 1, waiting: int = 32, wait_seconds: float = 20) -> None:
        self._slots = FairSlots(at_once)
        self._room = at_once + waiting
        self._wait_seconds = wait_seconds
        self._guard = threading.Lock()
        self._asked = 0
        self._running = 0

    def __len__(self) -> int:
        return self._running

    def run(
        self, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """What ``work`` returns or raises. It must touch no database, and nothing that is shared.

        Raises TooBusy when too much is waiting, or this would for too long.
        """
        with self._turn():
            if not monkey.is_module_patched("threading"):
                return work(*args, **kwargs)
            done: Callable[[], Result] = gevent.get_hub().threadpool.apply(_outcome, (work, args, kwargs))
            return done()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with ExitStack() as stack:
            self._count_in()
            stack.callback(self._count_out)
            try:
                stack.enter_context(self._slots.hold(timeout_seconds=self._wait_seconds))
            except TimeoutError:
                raise TooBusy from None
            self._count_running(1)
            stack.callback(self._count_running, -1)
            yield

    def _count_in(self) -> None:
        with self._guard:
            if self._asked >= self._room:
                raise TooBusy
            self._asked += 1

    def _count_out(self) -> None:
        with self._guard:
            self._asked -= 1

    def _count_running(self, change: int) -> None:
        with self._guard:
            self._running += change


def _outcome(work: Callable[..., Any], args: Any, kwargs: Any) -> Callable[[], Any]:
    """Gives back or raises what the work did. The pool itself would print a failure with its arguments."""
    try:
        result = work(*args, **kwargs)
    except BaseException as failure:  # noqa: BLE001  # raised again where it was asked for
        return _Raise(failure)
    return lambda: result


class _Raise:
    """Raises a failure of another thread in this one."""

    def __init__(self, failure: BaseException) -> None:
        self._failure = failure

    def __call__(self) -> Any:
        raise self._failure
