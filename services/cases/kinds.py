"""What a case is by its kind, its games and its name. Source: SPEC 2.1, DECISIONS, "Cases"."""

import unicodedata
from collections.abc import Collection
from enum import StrEnum

FREE_CASE_ID = "free-case"

RESERVED_IDS = frozenset({"pagination", "create", "free", FREE_CASE_ID, ".", ".."})
"""Addresses of something else, and two that browsers take out of an address before they ask."""


MAX_FOLDED = 300
"""Single characters may fold to words of 18."""

_FORMAT = "Cf"
_MEANINGLESS = frozenset({"Cc", "Cs", "Co", "Cn"})
"""Control characters, surrogates, private and unassigned ones."""


class Kind(StrEnum):
    """Set at import; players make regular ones only."""

    REGULAR = "regular"
    LEVEL = "level"
    FREE = "free"


class GameType(StrEnum):
    """Which games the items are of."""

    GAME_A = "gamea"
    GAME_B = "gameb"
    MIXED = "mixed"


_GAMES = {730: GameType.GAME_A, 252_490: GameType.GAME_B}


def game_type(app_ids: Collection[int]) -> GameType:
    """The one game that all items are of, or mixed. There must be an item."""
    games = {_GAMES[app_id] for app_id in app_ids}
    return games.pop() if len(games) == 1 else GameType.MIXED


def tidy(name: str) -> str:
    """The name in composed characters, without blanks around it, and with one for each run of them inside."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def can_be_shown(tidy_name: str) -> bool:
    """Whether something is to be seen of a name, and every character of it has a meaning for everybody."""
    folded = fold(tidy_name)
    if not folded.strip() or len(folded) > MAX_FOLDED:
        return False
    return not any(unicodedata.category(char) in _MEANINGLESS for char in tidy_name)


def case_id(tidy_name: str) -> str:
    """The id of a case with this name: lowercase, each space a hyphen."""
    return tidy_name.lower().replace(" ", "-")


def fold(text: str) -> str:
    """A text without regard to case, width and style, in every script, and without what nobody sees.

    For uniqueness, search, and names that are not a player's to take.
    """
    seen = "".join(char for char in text if unicodedata.category(char) != _FORMAT)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold())
