"""CPU-bound work that does not block other requests: in native threads, or with regular pauses."""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar, ParamSpec, TypeVar

import gevent
from gevent import monkey
from gevent.util import wrap_errors

from models.db.waiting import FifoSemaphore
from services.shared.errors import Unavailable

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Thing = TypeVar("Thing")

PAUSE_SECONDS = 0.001
"""Not 0: gevent runs greenlets that sleep for 0 seconds up to 50 times before it polls the network."""

WORK_SECONDS = 0.004

SWITCH_SECONDS = 0.0005
"""How long the event loop waits for the interpreter lock while a worker thread runs Python code.

With Python's default of 5 ms, an image of a million tiny parts makes all other requests 2.6 times slower.
"""


def pause() -> None:
    """Let other greenlets run once."""
    time.sleep(PAUSE_SECONDS)


class CooperativeYield:
    """Call it between the steps of long work: it pauses when its last pause is ``WORK_SECONDS`` ago.

    It measures time instead of counting steps, because a pause costs a millisecond and steps differ in
    length. Several long works take turns, and the network is polled after each turn.
    """

    waiting: ClassVar[deque["CooperativeYield"]] = deque()
    worked_at: ClassVar[float] = 0.0
    """When any instance last paused, by the monotonic clock."""

    def __init__(self) -> None:
        self._since = time.monotonic()

    def __call__(self) -> None:
        if time.monotonic() - self._since < WORK_SECONDS:
            return
        CooperativeYield.worked_at = time.monotonic()
        self.waiting.append(self)
        try:
            pause()
            while self.waiting[0] is not self or time.monotonic() - self.worked_at < PAUSE_SECONDS / 2:
                pause()
        finally:
            self.waiting.remove(self)
        self._since = time.monotonic()


def in_slices(things: Iterable[Thing], size: int) -> Iterator[Thing]:
    """Yield these things, with a CooperativeYield after every ``size`` of them."""
    cooperate = CooperativeYield()
    for number, thing in enumerate(things, start=1):
        yield thing
        if number % size == 0:
            cooperate()


class WorkerPool:
    """Runs work in native threads, one at a time and first come, first served.

    In a process that is not patched for gevent the work runs in the caller's thread.
    """

    def __init__(self, *, queue_size: int = 32, wait_seconds: float = 20) -> None:
        self._workers = FifoSemaphore(1)
        self._queue_size = queue_size
        self._wait_seconds = wait_seconds
        if monkey.is_module_patched("threading"):
            sys.setswitchinterval(SWITCH_SECONDS)

    def run(
        self, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """Return or raise what ``work`` does. It must use neither the database nor what other threads use.

        Raises Unavailable when the queue is full, or the wait in it took too long.
        """
        if not self._workers.free and self._workers.waiting >= self._queue_size:
            raise Unavailable
        try:
            self._workers.acquire(self._wait_seconds)
        except TimeoutError:
            raise Unavailable from None
        try:
            return in_native_thread(work, *args, **kwargs)
        finally:
            self._workers.release()


def in_native_thread(
    work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """Return or raise what ``work`` does; without gevent in the caller's thread."""
    if not monkey.is_module_patched("threading"):
        return work(*args, **kwargs)
    # gevent's thread pool prints errors that are raised in it.
    result = gevent.get_hub().threadpool.apply(wrap_errors(BaseException, work), args, kwargs)
    if isinstance(result, BaseException):
        raise result
    return result  # type: ignore[no-any-return]
