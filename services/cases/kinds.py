"""Kinds and types of cases, and the rules for their names and ids. Source: SPEC 2.1, DECISIONS, "Cases"."""

import unicodedata
from collections.abc import Collection
from enum import StrEnum

FREE_CASE_ID = "free-case"

RESERVED_IDS = frozenset({"pagination", "create", "free", FREE_CASE_ID, ".", ".."})
"""Paths of other endpoints, and two path segments that browsers remove."""

MAX_FOLDED = 300
"""The length of the column. Folding may turn one character into 18."""

_FORMAT = "Cf"
_MEANINGLESS = frozenset({"Cc", "Cs", "Co", "Cn"})
"""Control characters, surrogates, private and unassigned ones."""


class Kind(StrEnum):
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


def tidy(name: str) -> str:
    """The name in NFC, trimmed, and with a single space for each run of blanks."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def can_be_shown(tidy_name: str) -> bool:
    """Whether a name has a visible character, and no control, private or unassigned ones."""
    folded = fold(tidy_name)
    if not folded.strip() or len(folded) > MAX_FOLDED:
        return False
    return not any(unicodedata.category(char) in _MEANINGLESS for char in tidy_name)


def case_id(tidy_name: str) -> str:
    """The id of a case with this name: lowercase, each space a hyphen."""
    return tidy_name.lower().replace(" ", "-")


def fold(text: str) -> str:
    """The text without case, width, style and invisible characters, in every script.

    Used for uniqueness, search and reserved names.
    """
    visible = "".join(char for char in text if unicodedata.category(char) != _FORMAT)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
