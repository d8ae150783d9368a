"""The production app with short leases and rounds, which can stand still in the middle of a price refresh."""

import os
import signal
from dataclasses import replace

from services.prices import feed, service
from services.prices.feed import Feed
from services.shared import lease
from settings import Settings

lease.LEASE_SECONDS = 2.0
feed.TIMEOUT_SECONDS = 2.0
service.ROUND_SECONDS = 0.2

STAND_STILL = Settings.from_env(os.environ).instance_dir / "stand-still"
"""A file: the process of the next refresh writes its id there and stops itself after a slice of items."""

update = Feed._apply


def apply(self, prices, **options):
    def stand_still():
        self.between()
        if STAND_STILL.exists() and not STAND_STILL.read_text():
            STAND_STILL.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGSTOP)

    return update(replace(self, between=stand_still), prices, **options)


Feed._apply = apply

from wsgi import app  # noqa: E402, F401  # created with these
