"""The production app with a clock that is ahead by the hours in the file that CLOCK_FILE names."""

import os
from pathlib import Path

from app import create_app
from models.db.postgres import cooperate_with_gevent
from services.shared.clock import Millis, now_ms

HOUR_MS = 3_600_000
FILE = Path(os.environ["CLOCK_FILE"])


def clock() -> Millis:
    return Millis(now_ms() + int(FILE.read_text() or 0) * HOUR_MS)


cooperate_with_gevent()
app = create_app(clock=clock)
