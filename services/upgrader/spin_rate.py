"""How often a player may ask for a spin."""

import time
from collections.abc import Callable

from services.rate import Rate
from services.upgrader.errors import TooManySpins

SPINS = 30
SECONDS = 10


class SpinRate:
    """At most 30 spins in any 10 seconds of ``timer`` for each player, refused ones included."""

    def __init__(self, *, enabled: bool, timer: Callable[[], float] = time.monotonic) -> None:
        self._rate = Rate(most=SPINS, seconds=SECONDS, timer=timer) if enabled else None

    def spend(self, user_id: int) -> None:
        """Count one spin. Raises TooManySpins when the player has none left."""
        if self._rate is not None and self._rate.spend(user_id):
            raise TooManySpins
