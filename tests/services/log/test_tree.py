"""Appending leaves, roots and proofs from tiles, against the definitions of RFC 6962."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.log import tree
from services.log.merkle import leaf_hash, root_from_proof
from services.log.tiles import TilePosition
from tests.services.log import rfc6962

SIZE = 70_000
EDGES = [1, 2, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, SIZE]

# Sizes around full tiles, and any other.
sizes = st.builds(lambda tiles, more: max(0, 256 * tiles + more), st.integers(0, 4), st.integers(-1, 1))
sizes |= st.integers(0, 1100)


@pytest.fixture(scope="module")
def leaves():
    return [leaf_hash(str(index).encode()) for index in range(SIZE)]


@pytest.fixture(scope="module")
def tiles(leaves):
    """The tiles of the whole tree."""
    return tree.append(0, leaves, {}.__getitem__)


@settings(max_examples=30)
@given(cuts=st.lists(sizes, max_size=6))
def test_batches_give_the_tiles_of_one_batch(leaves, cuts):
    tiles = {}

    for start, end in pairwise(sorted([0, *cuts, 1100])):
        tiles |= tree.append(start, leaves[start:end], tiles.__getitem__)

    assert tiles == tree.append(0, leaves[:1100], {}.__getitem__)


def test_the_tiles_of_70_000_entries_are_those_of_the_specification(tiles):
    assert Counter((level, len(tile) // 32) for (level, _), tile in tiles.items()) == {
        (0, 256): 273,
        (0, 112): 1,
        (1, 256): 1,
        (1, 17): 1,
        (2, 1): 1,
    }


def test_appending_reads_and_returns_only_tiles_that_grow(leaves, tiles):
    size = 258 * 256 - 1
    read = []

    changed = tree.append(size, leaves[size : size + 2], lambda at: read.append(at) or tiles[at])

    assert read == [(0, 257), (1, 1)]
    assert {at: len(tile) // 32 for at, tile in changed.items()} == {(0, 257): 256, (0, 258): 1, (1, 1): 2}


@pytest.mark.parametrize("size", EDGES)
def test_roots_around_full_tiles_are_right(leaves, tiles, size):
    assert tree.root(size, tiles.__getitem__) == rfc6962.mth(leaves[:size])


@given(st.data())
def test_inclusion_proofs_are_those_of_the_definition(leaves, tiles, data):
    size = data.draw(sizes.filter(bool))
    index = data.draw(st.integers(0, size - 1))

    assert tree.inclusion_proof(index, size, tiles.__getitem__) == rfc6962.path(index, leaves[:size])


@pytest.mark.parametrize("size", EDGES)
def test_inclusion_proofs_around_full_tiles_lead_to_the_root(leaves, tiles, size):
    root = tree.root(size, tiles.__getitem__)

    for index in {0, size // 2, max(0, size - 257), size - 1}:
        proof = tree.inclusion_proof(index, size, tiles.__getitem__)
        assert root_from_proof(index, size, leaves[index], proof) == root


@pytest.mark.parametrize("size", EDGES)
def test_the_tiles_of_a_tree_are_in_it_and_changed_ones_are_not(tiles, size):
    root = tree.root(size, tiles.__getitem__)
    levels = [(level, size >> 8 * level) for level in range(3) if size >> 8 * level]

    for level, nodes in levels:
        for node in {0, nodes // 2, nodes - 1}:
            at = TilePosition(level, node // 256)
            changed = bytearray(tiles[at])
            changed[node % 256 * 32] ^= 1
            assert tree.has_tile(at, size, root, tiles.__getitem__)
            assert not tree.has_tile(at, size, root, (tiles | {at: bytes(changed)}).__getitem__)
