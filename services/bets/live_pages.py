"""Pages of the public feed of bets, by their numbers.

A page far from both ends would skip half of an index, 50 ns a bet. So the way there is made in steps, and
each leaves a mark: the key of a bet, and how many bets of the list are not newer. The next far page begins at
the nearest mark.

Marks hold because bets are never changed or deleted, unless a bet is written late below one of them, or a
player is suspended. Each far page finds out: counted from the newest bet, of which few are above it, the
highest mark must still be where it was. Otherwise all marks are forgotten.
"""

from bisect import bisect, bisect_left, insort
from enum import StrEnum
from operator import attrgetter
from typing import Any, NamedTuple

from peewee import Tuple, fn

from models.bets import HIGH_ROLL, Bet
from models.db.connection import repeatable_read
from models.figures import LiveBetCount
from services.bets.live_bets import IS_PUBLIC, NEWEST_FIRST, SUSPENDED, newest_first, shown
from services.shared.background import CooperativeYield
from services.shared.clock import Millis
from services.shared.pagination import Page, Place, rows_of_page

STEP = 20_000
"""Bets between two marks, and how far from an end a page is read without them."""

in_order = Tuple(Bet.proof_due_at_ms, Bet.id)
OLDEST_FIRST = (Bet.proof_due_at_ms.asc(), Bet.id.asc())
LAST = 2**63 - 1


class LiveBetKind(StrEnum):
    """Which bets a list contains."""

    ALL = "live-bets"
    HIGH_ROLLS = "high-rolls"


class Mark(NamedTuple):
    """So many bets of a list have this key or a lower one."""

    bets: int
    key: tuple[int, int]


BEGIN = Mark(0, (0, 0))


class Marks(NamedTuple):
    """The marks of a list, the oldest first. They hold while exactly these players are suspended."""

    suspended: frozenset[int]
    marks: list[Mark]


class LivePages:
    """Pages of all bets that are due, newest first, with the marks of this process."""

    def __init__(self) -> None:
        self._marks: dict[LiveBetKind, Marks] = {}

    def page(self, *, kind: LiveBetKind, place: Place, now: Millis) -> Page[Any]:
        """One page, and how many bets the list has."""
        with repeatable_read(within_limit=True):
            made, not_due = _counts(kind, now)
            total = made - not_due
            start, end = place.bounds(total)
            if min(start, total - end) <= STEP:
                # Keys alone are read from the index, without reading the bets that are skipped.
                due = _of_kind(kind).where(Bet.proof_due_at_ms <= now)
                keys = rows_of_page(due, order=NEWEST_FIRST, place=place, total=total)
            else:
                newest = Mark(total, (now, LAST))
                marks = self._valid_marks(kind, made, newest)
                keys = _far_rows(kind, total - end, total - start, marks, newest)
            return Page(newest_first(shown(bet_id for _due, bet_id in keys)), total)

    def _valid_marks(self, kind: LiveBetKind, made: int, newest: Mark) -> list[Mark]:
        """The marks that hold in this transaction, one of them near the newest bet that is due."""
        suspended = frozenset(SUSPENDED.scalars())
        known = self._marks.get(kind)
        is_valid = known and known.suspended == suspended and _is_in_place(kind, known.marks[-1], made)
        marks = list(known.marks) if known and is_valid else [BEGIN]
        if newest.bets - marks[-1].bets > 2 * STEP:
            marks.append(_mark(kind, newest, -STEP))
        self._marks[kind] = Marks(suspended, marks)
        return marks


def _is_in_place(kind: LiveBetKind, mark: Mark, made: int) -> bool:
    """Whether all bets that were made, less those above this mark, are as many as when it was set."""
    return mark.bets <= made and _mark(kind, Mark(made, (LAST, LAST)), mark.bets - made) == mark


def _far_rows(
    kind: LiveBetKind, first: int, last: int, marks: list[Mark], newest: Mark
) -> list[tuple[int, int]]:
    """The keys of the bets from ``first`` to before ``last``, counted from the oldest, from 0.

    Adds marks on the way.
    """
    cooperate = CooperativeYield()
    while True:
        below = marks[bisect(marks, first, key=attrgetter("bets")) - 1]
        above = next(iter(marks[bisect_left(marks, last, key=attrgetter("bets")) :]), newest)
        up, down = first - below.bets, above.bets - last
        if min(up, down) <= STEP:
            query = _after(kind, below) if up <= down else _until(kind, above)
            return list(query.offset(min(up, down)).limit(last - first))
        insort(marks, _mark(kind, below, STEP) if up <= down else _mark(kind, above, -STEP))
        cooperate()


def _mark(kind: LiveBetKind, mark: Mark, bets: int) -> Mark:
    """The mark that is so many bets away from another one."""
    query = _after(kind, mark).offset(bets - 1) if bets > 0 else _until(kind, mark).offset(-bets)
    (key,) = query.limit(1)
    return Mark(mark.bets + bets, key)


def _after(kind: LiveBetKind, mark: Mark) -> Any:
    return _of_kind(kind).where(in_order > Tuple(*mark.key)).order_by(*OLDEST_FIRST)


def _until(kind: LiveBetKind, mark: Mark) -> Any:
    return _of_kind(kind).where(in_order <= Tuple(*mark.key)).order_by(*NEWEST_FIRST)


def _counts(kind: LiveBetKind, now: Millis) -> tuple[int, int]:
    """How many bets were made, and the few of them that are not due."""
    counts = LiveBetCount.high_rolls if kind is LiveBetKind.HIGH_ROLLS else LiveBetCount.bets
    made = LiveBetCount.select(fn.SUM(counts)).scalar() or 0
    return int(made), _of_kind(kind).where(Bet.proof_due_at_ms > now).count()


def _of_kind(kind: LiveBetKind) -> Any:
    """The keys of the bets of the list, as tuples."""
    query = Bet.select(Bet.proof_due_at_ms, Bet.id).where(IS_PUBLIC).tuples()
    return query.where(HIGH_ROLL) if kind is LiveBetKind.HIGH_ROLLS else query
