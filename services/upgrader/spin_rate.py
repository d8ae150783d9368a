"""How often a player may ask for a spin."""

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter

from services.upgrader.errors import TooManySpins

SPINS = 30
SECONDS = 10


class SpinRate:
    """At most 30 spins in any 10 seconds for each player, refused ones included."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._limit = RateLimitItemPerSecond(SPINS, SECONDS)

    def spend(self, user_id: int) -> None:
        """Count one spin. Raises TooManySpins when the player has none left."""
        if self._enabled and not self._limiter.hit(self._limit, "spin", str(user_id)):
            raise TooManySpins
