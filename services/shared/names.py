"""Names that operators and players choose: their normal form, and when two of them are equal."""

import unicodedata

MAX_FOLDED = 300
"""The length of the column. Folding may turn one character into 18."""

_FORMAT = "Cf"
_MEANINGLESS = frozenset({"Cc", "Cs", "Co", "Cn"})
"""Control characters, surrogates, private and unassigned ones."""


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
