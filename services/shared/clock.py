"""The clock. Services get the time as an argument; only views, handlers and commands read the clock."""

import time
from typing import NewType

Millis = NewType("Millis", int)
"""Unix time, or a duration, in whole milliseconds."""


def now_ms() -> Millis:
    """The current Unix time in milliseconds."""
    return Millis(time.time_ns() // 1_000_000)
