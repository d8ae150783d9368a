"""Kinds and types of cases, and the rules for their names and ids."""

from collections.abc import Collection
from enum import StrEnum

FREE_CASE_ID = "free-case"

RESERVED_IDS = frozenset({"pagination", "create", "free", FREE_CASE_ID, ".", ".."})
"""Paths of other endpoints, and two path segments that browsers remove."""


class CaseKind(StrEnum):
    """Set by an import; players create regular cases only."""

    REGULAR = "regular"
    LEVEL = "level"
    FREE = "free"


class GameType(StrEnum):
    """The game of all items of a case, or mixed."""

    GAME_A = "gamea"
    GAME_B = "gameb"
    MIXED = "mixed"


GAMES = {730: GameType.GAME_A, 252_490: GameType.GAME_B}


def game_type(app_ids: Collection[int]) -> GameType:
    """The game of all items, or mixed. There must be at least one item."""
    games = {GAMES[app_id] for app_id in app_ids}
    return games.pop() if len(games) == 1 else GameType.MIXED


def case_id(name: str, kind: CaseKind = CaseKind.REGULAR) -> str:
    """The id of a new case of this kind: its normalized name in lowercase, each space a hyphen.

    The free case has an id of its own, whatever its name.
    """
    return FREE_CASE_ID if kind is CaseKind.FREE else name.lower().replace(" ", "-")
