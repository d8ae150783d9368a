"""The platform's WSGI application, with a record of what its process spends CPU time on.

The kernel sends a signal after each 4 ms of CPU time, and its handler counts the functions that are running.
So neither other processes nor waits count. Samplers from outside mix up the stacks of greenlets. SAMPLES is
the file to which the counts are written once in a while.
"""

import json
import os
import signal
from collections import Counter
from pathlib import Path
from types import FrameType

from wsgi import app

__all__ = ["app"]

SECONDS = 0.004
WRITTEN_EACH = 100
output = Path(os.environ["SAMPLES"])
stacks: Counter[str] = Counter()


def sample(_signal: int, frame: FrameType | None) -> None:
    names = []
    while frame is not None:
        names.append(f"{frame.f_code.co_filename}:{frame.f_code.co_name}")
        frame = frame.f_back
    stacks[";".join(names)] += 1
    if stacks.total() % WRITTEN_EACH == 0:
        part = output.with_suffix(".part")
        part.write_text(json.dumps(stacks))
        part.replace(output)


signal.signal(signal.SIGPROF, sample)
signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)
