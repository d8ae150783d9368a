"""Verifies the log in the database against its entries, its bets, and what was signed."""

import json
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import peewee

from models.bets import Bet
from models.db.connection import repeatable_read
from models.log import Log, WaitingBet
from services.log import bundles, first_start, sequencer, stored_tiles
from services.log.bet_log import BetLog
from services.log.checkpoints import Checkpoint
from services.log.merkle import leaf_hash, root_of
from services.log.notes import BadNote
from services.log.tiles import HASH_SIZE, TILE_WIDTH, TilePosition, tile_width
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
    kept = bet_log.kept_checkpoint()
    found = Verification()
    with repeatable_read():
        log = sequencer.stored_log()
        logged: array[int] = array("q")
        for problem in _problems(bet_log, log, kept, logged, found, now):
            found.problems.append(problem)
            if len(found.problems) == MAX_PROBLEMS:
                break
    return found


def _problems(
    bet_log: BetLog, log: Log, kept: Checkpoint | None, logged: "array[int]", found: Verification, now: Millis
) -> Iterator[str]:
    yield from _checkpoint_problems(bet_log, log, kept)
    for number in range(-(-log.size // TILE_WIDTH)):
        yield from _bundle_problems(bet_log, log, number, logged)
        found.entries = min(log.size, (number + 1) * TILE_WIDTH)
    yield from _tile_problems(log.size)
    yield from _older_bet_problems(bet_log)
    yield from _bet_problems(logged, found, now)


def _checkpoint_problems(bet_log: BetLog, log: Log, kept: Checkpoint | None) -> Iterator[str]:
    """What was signed must be in the tree: the checkpoint on disk, and the newest one."""
    signed = [("the checkpoint on disk", kept)] if kept else []
    if log.size and not kept:
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
        elif sequencer.root_at(checkpoint.size) != checkpoint.root.hex():
            yield f"{name} has another root than the first {checkpoint.size} entries"


def _bundle_problems(bet_log: BetLog, log: Log, number: int, logged: "array[int]") -> Iterator[str]:
    """The entries of a bundle must be those of the tree."""
    width = tile_width(0, number, log.size)
    wanted = bundles.references(number)[:width]
    logged.extend(reference for reference in wanted if reference > 0)
    tile = _hashes(TilePosition(0, number), width)
    contents = bundles.existing_contents(wanted, bet_log.pseudonyms)
    for offset in range(width):
        index = number * TILE_WIDTH + offset
        if offset >= len(wanted) or offset >= len(tile):
            yield f"entry {index} is missing"
            continue
        content = contents.get(wanted[offset])
        if content is None:
            yield f"entry {index}: {_name(wanted[offset])} is missing"
        elif leaf_hash(content) != tile[offset]:
            yield f"entry {index}: {_name(wanted[offset])} is not what was logged"


def _tile_problems(size: int) -> Iterator[str]:
    """Each hash above level 0 must be the root of its tile."""
    level = 0
    while size >> 8 * (level + 1):
        for number in range(size >> 8 * (level + 1)):
            parent = _hashes(TilePosition(level + 1, number // TILE_WIDTH), TILE_WIDTH)
            tile = _hashes(TilePosition(level, number), TILE_WIDTH)
            offset = number % TILE_WIDTH
            if len(tile) != TILE_WIDTH or parent[offset : offset + 1] != [root_of(tile)]:
                yield f"tile {number} of level {level} has another root than level {level + 1} says"
        level += 1


def _older_bet_problems(bet_log: BetLog) -> Iterator[str]:
    """The first entry must say how many bets are older than the log, and what they are."""
    first = bundles.existing_contents(bundles.references(0)[:1], bet_log.pseudonyms).values()
    logged = [(entry["bets"], entry["digest"]) for entry in map(json.loads, first) if "digest" in entry]
    older = first_start.older_bets(bet_log.pseudonyms)
    if logged != ([tuple(older)] if older.bets else []):
        yield "the bets that are older than the log are not those of its first entry"


def _bet_problems(logged: "array[int]", found: Verification, now: Millis) -> Iterator[str]:
    """Each bet must be in the log once, or wait for that."""
    ids = iter(sorted(logged))
    next_id = next(ids, None)
    for bet_id, created_at_ms, is_waiting in _bets():
        found.bets += 1
        times = 0
        while next_id is not None and next_id <= bet_id:
            if next_id == bet_id:
                times += 1
            next_id = next(ids, None)
        if times > 1:
            yield f"bet {bet_id} is in the log {times} times"
        elif times == 0 and not is_waiting:
            yield f"bet {bet_id} is not in the log"
        elif times == 0 and created_at_ms < now - LATEST_ENTRY_MS:
            yield f"bet {bet_id} is not in the log, although it is older than a minute"
        elif times and is_waiting:
            yield f"bet {bet_id} is in the log, and waits to be appended again"


def _bets() -> Iterator[tuple[int, int, bool]]:
    """The bets of the time of the log: id, when each was settled, and whether it waits."""
    last_id = 0
    query: Any = (
        Bet.select(Bet.id, Bet.created_at_ms, WaitingBet.bet_id.is_null(False))
        .join(WaitingBet, peewee.JOIN.LEFT_OUTER, on=(WaitingBet.bet_id == Bet.id))
        .where(Bet.next_commitment.is_null(False))
        .order_by(Bet.id)
        .limit(ROWS_AT_ONCE)
        .tuples()
    )
    while rows := list(query.where(Bet.id > last_id)):
        for bet_id, created_at_ms, is_waiting in rows:
            yield bet_id, created_at_ms, bool(is_waiting)
        last_id = rows[-1][0]


def _hashes(position: TilePosition, width: int) -> Sequence[bytes]:
    tile = stored_tiles.read(position)[: width * HASH_SIZE]
    return [tile[start : start + HASH_SIZE] for start in range(0, len(tile), HASH_SIZE)]


def _name(reference: int) -> str:
    return f"bet {reference}" if reference > 0 else f"row {-reference} of log_entries"
