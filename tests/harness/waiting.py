"""Waits for conditions that send no event, by polling with a bound."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

BOUND_SECONDS = 30
STEP_SECONDS = 0.02


def within(seconds: float) -> Iterator[None]:
    """Yield until this time is over. Then raises TimeoutError: the loop should have ended."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
    raise TimeoutError(f"waited {seconds:.0f} seconds in vain")


def wait_until(
    condition: Callable[[], object], *, seconds: float = BOUND_SECONDS, step_seconds: float = STEP_SECONDS
) -> None:
    """Return as soon as the condition is true. Raises TimeoutError if that takes longer."""
    pause = threading.Event()
    for _ in within(seconds):
        if condition():
            return
        pause.wait(step_seconds)


def can_connect(port: int) -> bool:
    """Whether something listens on this port of this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
