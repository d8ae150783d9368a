"""Waits for conditions that send no event, by polling with a bound."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

BOUND_SECONDS = 10
STEP_SECONDS = 0.02


def wait_until(condition: Callable[[], object]) -> None:
    """Return as soon as the condition is true; fail if that takes longer than the bound."""
    pause = threading.Event()
    for _ in range(int(BOUND_SECONDS / STEP_SECONDS)):
        if condition():
            return
        pause.wait(STEP_SECONDS)
    raise AssertionError("waited in vain")


def can_connect(port: int) -> bool:
    """Whether something listens on this port of this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
