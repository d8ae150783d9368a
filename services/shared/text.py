"""Texts that people type: what both databases can store, reasons, names, and searches for items."""

import re
import unicodedata

from services.shared.errors import Refusal

MAX_REASON = 200
LEAST_OF_STAFF = 5
"""The characters of a reason that somebody gives in the back office."""

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

MAX_FOLDED = 300
"""The length of the column. Folding may turn one character into 18."""

_FORMAT = "Cf"
_MEANINGLESS = frozenset({"Cc", "Cs", "Co", "Cn"})
"""Control characters, surrogates, private and unassigned ones."""

_IGNORED = str.maketrans("", "", "-★™")
_BETWEEN_WORDS = re.compile(r"[\s|()]+")


def is_storable(text: str) -> bool:
    """Whether a text is free of NUL characters and lone surrogates, which PostgreSQL refuses."""
    return UNSTORABLE.search(text) is None


def camel_case(name: str) -> str:
    """A name in snake_case, as JSON has it."""
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


def checked_reason(reason: str, *, least: int = 1) -> str:
    """The reason of an action of staff, trimmed. Raises Refusal for a short or a long one."""
    reason = reason.strip()
    if not least <= len(reason) <= MAX_REASON or not is_storable(reason):
        raise Refusal(f"the reason must be a text of {least} to {MAX_REASON} characters")
    return reason


def normalize_name(name: str) -> str:
    """The name in NFC, trimmed, and with a single space for each run of blanks."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


def can_be_shown(name: str) -> bool:
    """Whether a normalized name has a visible character, and no control, private or unassigned ones."""
    folded = fold(name)
    if not folded.strip() or len(folded) > MAX_FOLDED:
        return False
    return not any(unicodedata.category(char) in _MEANINGLESS for char in name)


def fold(text: str) -> str:
    """Remove the differences of case, width and style, and invisible characters, in every script.

    Used for uniqueness, search and reserved names.
    """
    visible = "".join(char for char in text if unicodedata.category(char) != _FORMAT)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())


def words_of(search: str) -> list[str]:
    """The words of a search, in plain form. They are separated by blanks, ``|``, ``(`` and ``)``.

    It finds the items in whose names each of them occurs as a part.
    """
    return [word for word in _BETWEEN_WORDS.split(_plain(search)) if word]


def plain_names(market_hash_name: str, gun_name: str, skin_name: str) -> str:
    """The names of an item, as words are searched in them.

    The full name contains the other two, unless an import has given the item others.
    """
    own = [name for name in (gun_name, skin_name) if name not in market_hash_name]
    return _plain("\0".join([market_hash_name, *own]))


def _plain(text: str) -> str:
    # Without what a search ignores: the case of letters, accents, and three characters.
    kept = text.translate(_IGNORED)
    if not kept.isascii():
        decomposed = unicodedata.normalize("NFKD", kept)
        kept = "".join(char for char in decomposed if not unicodedata.combining(char))
    return kept.casefold()
