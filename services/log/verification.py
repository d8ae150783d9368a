"""Verifies the log in the database against its entries, its bets, and what was signed."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import peewee

from models.bets import Bet
from models.db.connection import repeatable_read
from models.log import BETS, Log, WaitingBet
from services.log import bundles, sequencer
from services.log.bet_log import BetLog
from services.log.merkle import leaf_hash
from services.log.sequencer import LogMissing
from services.log.tree_verification import stored_entries, tree_problems
from services.shared.clock import Millis

MAX_PROBLEMS = 1_000
"""A verification ends after this many."""

ROWS_AT_ONCE = 5_000

LATEST_ENTRY_MS = 60_000
"""A bet that is older than this should be in the log."""


@dataclass
class Verification:
    """How many entries and bets were compared, and a line for each difference."""

    entries: int = 0
    bets: int = 0
    problems: list[str] = field(default_factory=list)


def verify(bet_log: BetLog, *, now: Millis) -> Verification:
    """Make all entries again from what they are about, and compare them with tree and checkpoints.

    Everything is read from one state of the database. Writes nothing.
    """
    on_disk = bet_log.kept_checkpoints()[:1]
    found = Verification()
    with repeatable_read():
        try:
            log = sequencer.stored_log(BETS)
        except LogMissing as missing:
            found.problems.append(str(missing))
            return found
        problems = chain(
            tree_problems(bet_log, log, on_disk),
            _entry_problems(bet_log, log, logged := array("q"), found),
            _bet_problems(logged, found, now),
        )
        found.problems += islice(problems, MAX_PROBLEMS)
    return found


def _entry_problems(bet_log: BetLog, log: Log, logged: "array[int]", found: Verification) -> Iterator[str]:
    """The entries must be those of the tree."""
    for bundle in stored_entries(log):
        wanted = [each.reference for each in bundle if each.reference is not None]
        logged.extend(reference for reference in wanted if reference > 0)
        contents = bundles.existing_contents(wanted, bet_log.source)
        for index, reference, leaf in bundle:
            found.entries = index + 1
            if reference is None or leaf is None:
                yield f"entry {index} is missing"
            elif reference not in contents:
                yield f"entry {index}: {_name(reference)} is missing"
            elif leaf_hash(contents[reference]) != leaf:
                yield f"entry {index}: {_name(reference)} is not what was logged"


def _bet_problems(logged: "array[int]", found: Verification, now: Millis) -> Iterator[str]:
    """Each bet must be in the log once, or wait for that."""
    ids = sorted(logged)
    for bet_id, created_at_ms, is_waiting in _bets():
        found.bets += 1
        times = bisect_right(ids, bet_id) - bisect_left(ids, bet_id)
        if times > 1:
            yield f"bet {bet_id} is in the log {times} times"
        elif times == 0 and not is_waiting:
            yield f"bet {bet_id} is not in the log"
        elif times == 0 and created_at_ms < now - LATEST_ENTRY_MS:
            yield f"bet {bet_id} is not in the log, although it is older than a minute"
        elif times and is_waiting:
            yield f"bet {bet_id} is in the log, and waits to be appended again"


def _bets() -> Iterator[tuple[int, int, bool]]:
    """All bets: id, when each was settled, and whether it waits for the log."""
    last_id = 0
    query: Any = (
        Bet.select(Bet.id, Bet.created_at_ms, WaitingBet.bet_id.is_null(False))
        .join(WaitingBet, peewee.JOIN.LEFT_OUTER, on=(WaitingBet.bet_id == Bet.id))
        .order_by(Bet.id)
        .limit(ROWS_AT_ONCE)
        .tuples()
    )
    while rows := list(query.where(Bet.id > last_id)):
        for bet_id, created_at_ms, is_waiting in rows:
            yield bet_id, created_at_ms, bool(is_waiting)
        last_id = rows[-1][0]


def _name(reference: int) -> str:
    return f"bet {reference}" if reference > 0 else f"row {-reference} of log_entries"
