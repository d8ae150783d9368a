"""Verifies the tree of a log in the database against what was signed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from models.log import Log, SignedTree
from services.log import bundles, sequencer, stored_tiles
from services.log.checkpoints import Checkpoint
from services.log.merkle import root_of
from services.log.notes import BadNote
from services.log.signed_log import SignedLog, tree_of
from services.log.tiles import HASH_SIZE, TILE_WIDTH, TilePosition, tile_width


class StoredEntry(NamedTuple):
    """An entry of the tree: its index, what it is made from, and its hash, None where these are missing."""

    place: int
    reference: int | None
    leaf: bytes | None


def stored_entries(log: Log) -> Iterator[list[StoredEntry]]:
    """The entries of each bundle."""
    for number in range(-(-log.size // TILE_WIDTH)):
        width = tile_width(0, number, log.size)
        references = bundles.references(log.name, number)[:width]
        leaves = _hashes(log.name, TilePosition(0, number), width)
        missing = [None] * width
        columns = zip([*references, *missing], [*leaves, *missing], strict=False)
        yield [
            StoredEntry(number * TILE_WIDTH + offset, *columns)
            for offset, columns in zip(range(width), columns, strict=False)
        ]


def tree_problems(signed_log: SignedLog, log: Log, on_disk: Sequence[Checkpoint]) -> Iterator[str]:
    """What was signed must be in the tree: the newest checkpoint, and those on disk."""
    if log.size and not on_disk:
        yield "there is no checkpoint on disk to compare with"
    signed = [(f"the checkpoint of {each.origin} on disk", tree_of(each)) for each in on_disk]
    try:
        newest = signed_log.open(log.checkpoint)
        signed.append(("the last checkpoint", tree_of(newest)))
        if (newest.origin, newest.size) != (log.origin, log.size):
            yield "the last checkpoint is about another log"
    except BadNote as bad:
        if log.size:
            yield f"the last checkpoint: {bad}"
    for name, tree in signed:
        if tree.size > log.size:
            yield f"{name} has {tree.size} entries, the log only {log.size}"
        elif not begins_with(log, tree):
            yield f"{name} has another root than the first {tree.size} entries"
    yield from _tile_problems(log)


def begins_with(log: Log, tree: SignedTree) -> bool:
    """Whether the first entries of the log make this tree."""
    return tree.size <= log.size and sequencer.root_at(log.name, tree.size) == tree.root


def _tile_problems(log: Log) -> Iterator[str]:
    """Each hash above level 0 must be the root of its tile."""
    level = 0
    while log.size >> 8 * (level + 1):
        for number in range(log.size >> 8 * (level + 1)):
            parent = _hashes(log.name, TilePosition(level + 1, number // TILE_WIDTH), TILE_WIDTH)
            tile = _hashes(log.name, TilePosition(level, number), TILE_WIDTH)
            offset = number % TILE_WIDTH
            if len(tile) != TILE_WIDTH or parent[offset : offset + 1] != [root_of(tile)]:
                yield f"tile {number} of level {level} has another root than level {level + 1} says"
        level += 1


def _hashes(log: str, position: TilePosition, width: int) -> list[bytes]:
    tile = stored_tiles.reader(log)(position)[: width * HASH_SIZE]
    return [tile[start : start + HASH_SIZE] for start in range(0, len(tile), HASH_SIZE)]
