"""The figures of each day by game, case and class of price: kept, audited and made again."""

import json
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from math import isclose
from typing import Any, NamedTuple

from cachetools import LRUCache

from models.battles import BATTLE
from models.db.connection import database, writing
from models.db.sql import execute
from models.figures import ADD_TO_DAILY_FIGURES, DailyFigures
from services.battles.seat_bets import SettledBattle
from services.bets import snapshots
from services.bets.snapshots import Content
from services.figures.battle_figures import figures_of, figures_of_battles
from services.figures.bet_figures import APPENDED_BETS, THESE_BETS, BetFigures, GroupedBets, grouped
from services.shared.clock import Millis, iso_date
from services.shared.money import Cents

log = logging.getLogger("platform.reports")

CONTENTS_IN_MEMORY = 2_000

TOLERANCE = 1e-9
"""Relative. The sums of floats depend on their order."""


class Key(NamedTuple):
    """What the bets of one row have in common."""

    day: Millis
    game: str
    case_id: str
    """Empty for spins and battles."""
    price_class: str
    """Empty for battles, and for openings that are not free."""


class Contents:
    """The contents of snapshots that were used lately."""

    def __init__(self) -> None:
        self._found: LRUCache[int, Content | None] = LRUCache(CONTENTS_IN_MEMORY)

    def __call__(self, snapshot_id: int) -> Content | None:
        """The content of a snapshot; None, and a line in the log, if it differs from its hash."""
        if snapshot_id not in self._found:
            try:
                self._found[snapshot_id] = snapshots.stored(snapshot_id)
            except ValueError as invalid:
                # The public log must go on. ``flask fairness audit`` names the bets.
                log.error("%s: nothing is expected of its openings", invalid)  # noqa: TRY400
                self._found[snapshot_id] = None
        return self._found[snapshot_id]


class FiguresOfAppended:
    """Adds bets to the figures when they are appended to the public log: each once, and none that waits."""

    def __init__(self) -> None:
        self._content_of = Contents()

    def prepare(self, snapshot_ids: Collection[int]) -> None:
        """Read the contents that ``add`` will need, so that its transaction is short."""
        for snapshot_id in snapshot_ids:
            self._content_of(snapshot_id)

    def add(self, bet_ids: Collection[int]) -> None:
        """Add these bets. To be used in the transaction in which they cease to wait."""
        these = json.dumps(dict.fromkeys(bet_ids, ""))
        _add(_by_key(grouped(THESE_BETS, bets=these), self._content_of))


class FiguresOfBattles:
    """Adds battles to the figures when they are settled."""

    def __init__(self) -> None:
        self.on_added: list[Callable[[BetFigures], None]] = []
        """Called with the figures of a battle that was settled here, after the commit."""

    def add(self, battle: SettledBattle, opened: Sequence[tuple[Content, int]]) -> None:
        """Add the bets of a battle. To be used in the transaction that has written them, as its last part.

        ``opened`` are its cases, each with how often a seat opens it.
        """
        figures = figures_of(battle, opened)
        _add(_by_day([(battle.day, figures)]))
        database.after_commit(lambda: self._tell(figures))

    def _tell(self, figures: BetFigures) -> None:
        for tell in self.on_added:
            tell(figures)


def mismatches() -> Iterator[str]:
    """A line for each row that differs from the bets, is missing, or should not exist."""
    expected, stored = _expected(), dict(_stored())
    for key in sorted(expected.keys() | stored.keys()):
        if not _is_same(expected.get(key, BetFigures()), stored.get(key, BetFigures())):
            yield f"the figures of {_name(key)} differ from the bets"


def rebuild() -> int:
    """Make all rows again; returns their number. Bets that wait for the log are added when it has them.

    Appends to the log wait for this, so it must not be used within another transaction.
    """
    with writing():
        database.obj.lock_tables(DailyFigures)
        database.obj.lift_statement_limit()
        DailyFigures.delete().execute()
        expected = _expected()
        _add(expected)
    return len(expected)


def _expected() -> dict[Key, BetFigures]:
    """The rows that there must be. To be used within a transaction."""
    content_of = Contents()
    return _by_key(grouped(APPENDED_BETS), content_of) | _by_day(figures_of_battles(content_of))


def _add(totals: Mapping[Key, BetFigures]) -> None:
    for key, sums in totals.items():
        execute(ADD_TO_DAILY_FIGURES, key._asdict() | vars(sums))


def _by_key(groups: Iterable[GroupedBets], content_of: Contents) -> dict[Key, BetFigures]:
    """The sums of groups, with those of all contents that a case had in a day in one."""
    found: dict[Key, BetFigures] = {}
    for group in groups:
        content = None if group.snapshot_id is None else content_of(group.snapshot_id)
        case_id = content.case_id if content else ""
        key = Key(group.day, group.game, case_id, group.price_class)
        found[key] = found.get(key, BetFigures()) + group.sums(content_of)
    return found


def _by_day(battles: Iterable[tuple[Millis, BetFigures]]) -> dict[Key, BetFigures]:
    """The sums of battles."""
    found: dict[Key, BetFigures] = {}
    for day, figures in battles:
        key = Key(day, BATTLE, case_id="", price_class="")
        found[key] = found.get(key, BetFigures()) + figures
    return found


def _stored() -> Iterator[tuple[Key, BetFigures]]:
    """All rows. To be used within ``reading()``."""
    query: Any = DailyFigures.select()
    for day, game, case_id, price_class, bets, wagered, paid, *of_chances in query.tuples().iterator():
        sums = BetFigures(bets, Cents(wagered), Cents(paid), *of_chances)
        yield Key(Millis(day), game, case_id, price_class), sums


def _is_same(expected: BetFigures, stored: BetFigures) -> bool:
    return (expected.bets, expected.wagered, expected.paid, expected.largest) == (
        stored.bets,
        stored.wagered,
        stored.paid,
        stored.largest,
    ) and all(
        isclose(ours, theirs, rel_tol=TOLERANCE)
        for ours, theirs in ((expected.expected, stored.expected), (expected.variance, stored.variance))
    )


def _name(key: Key) -> str:
    return " ".join(part for part in (iso_date(key.day), *key[1:]) if part)
