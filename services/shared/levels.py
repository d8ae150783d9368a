"""Experience and levels, computed from the amount a player has wagered."""

from math import isqrt

EXPERIENCE_PER_SQUARE = 100


def experience_of(*, granted: int, wagered_cents: int) -> int:
    """One point for each whole coin wagered in total, plus the points granted by an operator."""
    return granted + wagered_cents // 100


def level_of(experience: int) -> int:
    """floor(sqrt(experience / 100)): level 1 at 100 coins, level 25 at 62,500."""
    return isqrt(experience // EXPERIENCE_PER_SQUARE)


def experience_for(level: int) -> int:
    """The lowest experience of this level."""
    return level * level * EXPERIENCE_PER_SQUARE
