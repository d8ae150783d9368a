"""Verifies the log in the database against its entries, its bets, and what was signed."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import peewee

from models import battle_locks
from models.bets import Bet
from models.db.connection import repeatable_read
from models.log import Log, WaitingBet
from services.log import bundles, file, sequencer, tree
from services.log.bet_log import BetLog
from services.log.entries import Pseudonyms
from services.log.notes import BadNote, Checkpoint
from services.log.sequencer import LogMissing, stored_log
from services.log.tree import HASH_SIZE, TILE_WIDTH, TilePosition
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
    kept = file.read(bet_log.machine.path)
    found = Verification()
    with repeatable_read():
        try:
            log = stored_log()
        except LogMissing as missing:
            found.problems.append(str(missing))
            return found
        logged: array[int] = array("q")
        problems = chain(
            tree_problems(bet_log, log, kept.checkpoint if kept else None),
            _entry_problems(bet_log.pseudonyms, log, logged, found),
            _bet_problems(logged, found, now),
            _battle_problems(),
        )
        found.problems += islice(problems, MAX_PROBLEMS)
    return found


def tree_problems(bet_log: BetLog, log: Log, on_disk: Checkpoint | None) -> Iterator[str]:
    """What was signed must be in the tree: the newest checkpoint, and the one on disk."""
    signed = []
    if on_disk is not None:
        signed.append((f"the checkpoint of {on_disk.origin} on disk", on_disk))
    elif log.size:
        yield "there is no checkpoint on disk to compare with"
    try:
        newest = bet_log.keys.open_checkpoint(log.checkpoint)
        signed.append(("the last checkpoint", newest))
        if (newest.origin, newest.size) != (log.origin, log.size):
            yield "the last checkpoint is about another log"
    except BadNote as bad:
        if log.size:
            yield f"the last checkpoint: {bad}"
    for name, checkpoint in signed:
        if checkpoint.size > log.size:
            yield f"{name} has {checkpoint.size} entries, the log only {log.size}"
        elif not sequencer.has_tree(log, checkpoint):
            yield f"{name} has another root than the first {checkpoint.size} entries"
    yield from _tile_problems(log)


def _tile_problems(log: Log) -> Iterator[str]:
    """Each hash above level 0 must be the root of its tile."""
    level = 0
    while log.size >> 8 * (level + 1):
        for number in range(log.size >> 8 * (level + 1)):
            parent = _hashes(TilePosition(level + 1, number // TILE_WIDTH), TILE_WIDTH)
            tile = _hashes(TilePosition(level, number), TILE_WIDTH)
            offset = number % TILE_WIDTH
            if len(tile) != TILE_WIDTH or parent[offset : offset + 1] != [tree.root_of(tile)]:
                yield f"tile {number} of level {level} has another root than level {level + 1} says"
        level += 1


def _entry_problems(
    pseudonyms: Pseudonyms, log: Log, logged: "array[int]", found: Verification
) -> Iterator[str]:
    """The entries must be those of the tree."""
    for number in range(-(-log.size // TILE_WIDTH)):
        width = tree.tile_width(0, number, log.size)
        wanted = bundles.references(number)[:width]
        leaves = _hashes(TilePosition(0, number), width)
        logged.extend(reference for reference in wanted if reference > 0)
        contents = bundles.contents(wanted, pseudonyms)
        for offset in range(width):
            index = number * TILE_WIDTH + offset
            found.entries = index + 1
            if offset >= min(len(wanted), len(leaves)):
                yield f"entry {index} is missing"
            elif wanted[offset] not in contents:
                yield f"entry {index}: {_name(wanted[offset])} is missing"
            elif tree.leaf_hash(contents[wanted[offset]]) != leaves[offset]:
                yield f"entry {index}: {_name(wanted[offset])} is not what was logged"


def _bet_problems(logged: "array[int]", found: Verification, now: Millis) -> Iterator[str]:
    """Each bet but those of battles must be in the log once, or wait for that."""
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
    """Each bet: its id, when it was settled, and whether it waits."""
    last_id = 0
    query: Any = (
        Bet.select(Bet.id, Bet.created_at_ms, WaitingBet.bet_id.is_null(False))
        .join(WaitingBet, peewee.JOIN.LEFT_OUTER, on=(WaitingBet.bet_id == Bet.id))
        .where(Bet.nonce > 0)
        .order_by(Bet.id)
        .limit(ROWS_AT_ONCE)
        .tuples()
    )
    while rows := list(query.where(Bet.id > last_id)):
        for bet_id, created_at_ms, is_waiting in rows:
            yield bet_id, created_at_ms, bool(is_waiting)
        last_id = rows[-1][0]


def _battle_problems() -> Iterator[str]:
    """The lock and the end of each battle must be where the battle says, or wait for the log."""
    for battle_id, *places in battle_locks.places():
        for name, place in zip(("lock", "end"), places, strict=True):
            if place.entry_id is None:
                continue
            if place.index is not None:
                number, offset = divmod(place.index, TILE_WIDTH)
                if bundles.references(number)[offset : offset + 1] != [-place.entry_id]:
                    yield f"battle {battle_id}: entry {place.index} is not its {name}"
            elif not place.is_waiting:
                yield f"battle {battle_id}: its {name} is not in the log"


def _hashes(position: TilePosition, width: int) -> list[bytes]:
    tile = bundles.read_tile(position)[: width * HASH_SIZE]
    return [tile[start : start + HASH_SIZE] for start in range(0, len(tile), HASH_SIZE)]


def _name(reference: int) -> str:
    return f"bet {reference}" if reference > 0 else f"row {-reference} of log_entries"
