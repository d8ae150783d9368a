"""Runs functions at the same time, to race them against each other."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

Result = TypeVar("Result")


def all_at_once(tasks: Sequence[Callable[[], Result]]) -> list[Result]:
    """Call each function in its own thread, all at the same moment; their results in order."""
    barrier = Barrier(len(tasks), timeout=60)

    def begin(task: Callable[[], Result]) -> Result:
        barrier.wait()
        return task()

    with ThreadPoolExecutor(len(tasks)) as threads:
        return list(threads.map(begin, tasks))
