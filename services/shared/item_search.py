"""Which items a search finds: those in whose names each of its words occurs as a part."""

import re
import unicodedata

_IGNORED = str.maketrans("", "", "-★™")
_BETWEEN_WORDS = re.compile(r"[\s|()]+")


def words_of(search: str) -> list[str]:
    """The words of a search, in plain form. They are separated by blanks, ``|``, ``(`` and ``)``."""
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
