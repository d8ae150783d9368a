"""Pages of the public feed of bets, by their numbers.

A page far from both ends would skip half of an index, 50 ns a bet. So the way there is made in steps, and
each leaves a mark: the key of a bet, and how many bets of the list are not newer. The next far page begins at
the nearest mark.

Marks hold because bets are never changed or deleted, unless a bet is written late below one of them, or a
player is suspended. Each far page finds out: the bets above the highest mark, which are few, must be all that
the counts of live bets have besides. Otherwise the marks are forgotten.
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

STEP = 10_000
"""Bets between two marks, and how far from an end a page is read without them."""

in_order = Tuple(Bet.proof_due_at_ms, Bet.id)
OLDEST_FIRST = (Bet.proof_due_at_ms.asc(), Bet.id.asc())
LAST_ID = 2**63 - 1


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
                marks = self._valid_marks(kind, made)
                highest = Mark(total, (now, LAST_ID))
                keys = _far_rows(kind, total - end, total - start, marks.marks, highest)
                self._marks[kind] = marks
            return Page(newest_first(shown(bet_id for _due, bet_id in keys)), total)

    def _valid_marks(self, kind: LiveBetKind, made: int) -> Marks:
        """A copy of the marks that this transaction may use; without any if they do not hold in it."""
        suspended = frozenset(SUSPENDED.scalars())
        known = self._marks.get(kind)
        if known and known.suspended == suspended:
            highest = known.marks[-1]
            if highest.bets + _after(kind, highest).count() == made:
                return Marks(suspended, list(known.marks))
        return Marks(suspended, [BEGIN])


def _far_rows(
    kind: LiveBetKind, first: int, last: int, marks: list[Mark], highest: Mark
) -> list[tuple[int, int]]:
    """The keys of the bets from ``first`` to before ``last``, counted from the oldest, from 0.

    Adds marks on the way, and one near ``highest``, the newest bet, for the next check.
    """
    cooperate = CooperativeYield()
    if highest.bets - marks[-1].bets > 2 * STEP:
        marks.append(_mark(kind, highest, -STEP))
    while True:
        below = marks[bisect(marks, first, key=attrgetter("bets")) - 1]
        above = next(iter(marks[bisect_left(marks, last, key=attrgetter("bets")) :]), highest)
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
