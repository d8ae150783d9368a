"""Experience and levels, computed from the amount a player has wagered."""

from math import isqrt

from models.callers import AnyPlayer

EXPERIENCE_PER_SQUARE = 100


def experience_of(player: AnyPlayer) -> int:
    """One point for each whole coin wagered in total, plus the points granted by an operator."""
    return int(player.granted_experience + player.wagered_cents // 100)


def level_of(player: AnyPlayer) -> int:
    """floor(sqrt(experience / 100)): level 1 at 100 coins, level 25 at 62,500."""
    return isqrt(experience_of(player) // EXPERIENCE_PER_SQUARE)


def experience_for(level: int) -> int:
    """The lowest experience of this level."""
    return level * level * EXPERIENCE_PER_SQUARE


def level_began_at(player: AnyPlayer) -> int:
    """The lowest experience of the player's level."""
    return experience_for(level_of(player))


def next_level_at(player: AnyPlayer) -> int:
    """The experience at which the player's next level begins."""
    return experience_for(level_of(player) + 1)
