"""A Merkle tree (RFC 6962, section 2.1) that is stored as tiles (https://c2sp.org/tlog-tiles).

A tile is up to 256 consecutive hashes of one level, 32 bytes each. Level 0 has the leaf hashes; a hash of a
level above is the root of a full tile of the level below. The nodes between two levels of tiles are not
stored but computed. A tree is its size and a function that reads its tiles. Trees only grow, so the tiles of
a tree have all that its earlier sizes need.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from typing import NamedTuple

EMPTY_ROOT = sha256().digest()
"""The root of a tree without leaves."""

HASH_SIZE = 32
TILE_WIDTH = 256
TILE_HEIGHT = 8
"""A tile has the leaves of a subtree of this height: 2**8 = 256."""

# A number has as few elements as possible, so that each tile has one path.
NUMBER = r"(?!x000/)(?P<number>(?:x[0-9]{3}/)*[0-9]{3})"
PARTIAL = r"(?:\.p/(?P<width>[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?"
TILE_PATH = re.compile(rf"(?P<level>[0-9]|[1-5][0-9]|6[0-3]|entries)/{NUMBER}{PARTIAL}")


class TilePosition(NamedTuple):
    """Where a tile is: its level, 0 to 63, and its number within the level, from 0."""

    level: int
    number: int


ReadTile = Callable[[TilePosition], bytes]
"""Returns a stored tile, with at least the hashes that the tree's size says. It may have more."""


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry of the log."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node from the hashes of its two children."""
    return sha256(b"\x01" + left + right).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root above these leaf hashes: MTH of RFC 6962, section 2.1.

    Hashes in pairs, level by level. A last hash without a neighbour moves up unchanged, which gives the
    same tree as the recursive definition.
    """
    if not leaves:
        return EMPTY_ROOT
    hashes = leaves
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=False)
        unpaired = hashes[len(hashes) & ~1 :]
        hashes = [*(node_hash(left, right) for left, right in pairs), *unpaired]
    return hashes[0]


def tile_width(level: int, number: int, size: int) -> int:
    """How many hashes this tile has in a tree of ``size`` entries, 0 to 256. One with 0 does not exist."""
    return max(0, min(TILE_WIDTH, (size >> TILE_HEIGHT * level) - TILE_WIDTH * number))


def parse_path(text: str) -> tuple[str, int, int]:
    """Level or ``entries``, number, and width, 1 to 256, in the path of a tile or of an entry bundle.

    The path is the one below ``<prefix>/tile/``. Raises ValueError.
    """
    found = TILE_PATH.fullmatch(text)
    if found is None:
        raise ValueError(f"not the path of a tile or an entry bundle: {text!r}")
    number = int(found["number"].replace("x", "").replace("/", ""))
    return found["level"], number, int(found["width"] or TILE_WIDTH)


def append(size: int, leaves: Sequence[bytes], read: ReadTile) -> dict[TilePosition, bytes]:
    """The tiles that appending these leaf hashes to a tree of ``size`` entries adds or replaces.

    They are complete: the hashes that were there before, and the new ones. Reads one tile a level at most.
    Raises ValueError for a stored tile that is too short.
    """
    changed: dict[TilePosition, bytes] = {}
    level, hashes = 0, leaves
    while hashes:
        first, kept = divmod(size >> TILE_HEIGHT * level, TILE_WIDTH)
        before = _hashes(TilePosition(level, first), 0, kept, read) if kept else []
        row = [*before, *hashes]
        tiles = [row[start : start + TILE_WIDTH] for start in range(0, len(row), TILE_WIDTH)]
        changed |= {TilePosition(level, first + i): b"".join(tile) for i, tile in enumerate(tiles)}
        level, hashes = level + 1, [root_of(tile) for tile in tiles if len(tile) == TILE_WIDTH]
    return changed


def root(size: int, read: ReadTile) -> bytes:
    """The root when the tree had ``size`` entries. Raises ValueError for a tile that is too short."""
    return _range_root(0, size, cache(read)) if size else EMPTY_ROOT


def has_tile(position: TilePosition, size: int, signed_root: bytes, read: ReadTile) -> bool:
    """Whether a stored tile is in the tree of ``size`` entries with this root, as far as that has it."""
    read = cache(read)
    level, number = position
    try:
        # The last tile of each level makes the root. Any other has its own root in the tile above it.
        while number != size >> TILE_HEIGHT * (level + 1):
            above, offset = divmod(number, TILE_WIDTH)
            (expected,) = _hashes(TilePosition(level + 1, above), offset, offset + 1, read)
            if root_of(_hashes(TilePosition(level, number), 0, TILE_WIDTH, read)) != expected:
                return False
            level, number = level + 1, above
        return root(size, read) == signed_root
    except ValueError:
        return False


def inclusion_proof(index: int, size: int, read: ReadTile) -> list[bytes]:
    """The hashes that prove an entry to be in the tree of ``size`` entries, its leaf's sibling first.

    This is PATH of RFC 6962, section 2.1.1. Raises ValueError for an index outside of the tree, and for a
    tile that is too short.
    """
    if not 0 <= index < size:
        raise ValueError(f"entry {index} is not in a tree of {size} entries")
    read = cache(read)
    proof = []
    start, end = 0, size
    while end - start > 1:
        middle = _middle(start, end)
        if index < middle:
            proof.append(_range_root(middle, end, read))
            end = middle
        else:
            proof.append(_range_root(start, middle, read))
            start = middle
    return proof[::-1]


def consistency_proof(old_size: int, size: int, read: ReadTile) -> list[bytes]:
    """The hashes that prove the tree of ``size`` entries to continue that of the old size.

    This is PROOF of RFC 6962, section 2.1.2; empty for equal sizes, and for an old size of 0. Raises
    ValueError for an old size above the size, and for a tile that is too short.
    """
    if not 0 <= old_size <= size:
        raise ValueError(f"a tree of {size} entries does not continue one of {old_size}")
    read = cache(read)
    proof: list[bytes] = []
    start, end = 0, size
    # Down to the subtree that ends where the old tree ended.
    while 0 < old_size < end:
        middle = _middle(start, end)
        if old_size <= middle:
            proof.append(_range_root(middle, end, read))
            end = middle
        else:
            proof.append(_range_root(start, middle, read))
            start = middle
    # The verifier has the old root, and needs this hash unless it is that.
    if start:
        proof.append(_range_root(start, end, read))
    return proof[::-1]


def begins_with(old_size: int, old_root: bytes, size: int, signed_root: bytes, read: ReadTile) -> bool:
    """Whether the tree of ``size`` entries with the signed root had the old root at the old size.

    Stored tiles are not trusted: those that the old root is made from must be in the signed tree.
    """
    used = []

    def noted(position: TilePosition) -> bytes:
        used.append(position)
        return read(position)

    try:
        is_root = old_size <= size and root(old_size, noted) == old_root
    except ValueError:
        return False
    return is_root and all(has_tile(position, size, signed_root, read) for position in used)


def _middle(start: int, end: int) -> int:
    """Where a node's entries are split: the left child has the largest power of two below their count."""
    return start + (1 << (end - start - 1).bit_length() - 1)


def _range_root(start: int, end: int, read: ReadTile) -> bytes:
    """MTH of the entries from ``start`` to ``end``, a range that splitting the tree with _middle leads to."""
    count = end - start
    if count & (count - 1) == 0:
        return _subtree_root(start, count.bit_length() - 1, read)
    middle = _middle(start, end)
    return node_hash(_range_root(start, middle, read), _range_root(middle, end, read))


def _subtree_root(start: int, height: int, read: ReadTile) -> bytes:
    """The root of a complete subtree of 2**height entries, from the tile that has the nodes next below."""
    level, height_in_tile = divmod(height, TILE_HEIGHT)
    number, offset = divmod(start >> TILE_HEIGHT * level, TILE_WIDTH)
    return root_of(_hashes(TilePosition(level, number), offset, offset + (1 << height_in_tile), read))


def _hashes(position: TilePosition, start: int, end: int, read: ReadTile) -> list[bytes]:
    """The hashes of a tile from ``start`` to ``end``."""
    tile = read(position)
    if len(tile) < end * HASH_SIZE:
        raise ValueError(f"tile {position.number} of level {position.level} has less than {end} hashes")
    return [tile[i * HASH_SIZE : (i + 1) * HASH_SIZE] for i in range(start, end)]
