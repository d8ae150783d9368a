"""A Merkle tree that is stored as tiles: appending leaves, roots and proofs.

A tree is its size and a function that reads its tiles. The nodes between two levels of tiles are not stored
but computed. Trees only grow, so the tiles of a tree have all that its earlier sizes need.
"""

from collections.abc import Callable, Sequence
from functools import cache

from services.log.merkle import EMPTY_ROOT, node_hash, root_of
from services.log.tiles import HASH_SIZE, TILE_WIDTH, TilePosition

ReadTile = Callable[[TilePosition], bytes]
"""Returns a stored tile, with at least the hashes that the tree's size says. It may have more."""

TILE_HEIGHT = 8
"""A tile has the leaves of a subtree of this height: 2**8 = 256."""


def append(size: int, leaves: Sequence[bytes], read: ReadTile) -> dict[TilePosition, bytes]:
    """The tiles that appending these leaf hashes to a tree of ``size`` entries adds or replaces.

    They are complete: the hashes that were there before, and the new ones. Reads one tile a level at most.
    Raises ValueError for a leaf hash of a wrong length, and for a stored tile that is too short.
    """
    if any(len(leaf) != HASH_SIZE for leaf in leaves):
        raise ValueError(f"a leaf hash has {HASH_SIZE} bytes")
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
