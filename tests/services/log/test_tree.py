"""Roots, tiles, their paths, and proofs, against RFC 6962 and vectors of Certificate Transparency."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.log import tree
from services.log.tree import TilePosition, leaf_hash
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
def test_inclusion_proofs_around_full_tiles_are_those_of_the_definition(leaves, tiles, size):
    for index in {0, size // 2, max(0, size - 257), size - 1}:
        assert tree.inclusion_proof(index, size, tiles.__getitem__) == rfc6962.path(index, leaves[:size])


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


@pytest.mark.parametrize("size", range(9))
def test_roots_are_those_of_certificate_transparency(size):
    assert tree.root_of([leaf_hash(entry) for entry in rfc6962.ENTRIES[:size]]).hex() == rfc6962.ROOTS[size]


def test_the_example_of_the_specification_has_its_path():
    assert tree.parse_path("0/x001/x234/067") == ("0", 1234067, 256)


@given(st.integers(0, 63), st.integers(0, 2**63), st.integers(1, 256))
def test_paths_of_tiles_and_bundles_are_parsed(level, number, width):
    *leading, last = f"{number:,}".split(",")
    path = "/".join([*(f"x{group:0>3}" for group in leading), f"{last:0>3}"])
    path += "" if width == 256 else f".p/{width}"

    assert tree.parse_path(f"{level}/{path}") == (str(level), number, width)
    assert tree.parse_path(f"entries/{path}") == ("entries", number, width)


MALFORMED = {
    "no number": "",
    "two digits": "67",
    "four digits": "1067",
    "a superfluous element": "x000/067",
    "x on the last element": "x001/x067",
    "no x on another element": "001/067",
    "an upper-case X": "X001/067",
    "an empty element": "x001//067",
    "width 0": "067.p/0",
    "width 256": "067.p/256",
    "a width with a leading zero": "067.p/07",
    "no width": "067.p/",
    "a sign": "-67",
    "digits of another script": "\u0660\u0661\u0662",
    "a width of another script": "067.p/\u0667",
    "a newline at the end": "067\n",
    "a slash at the end": "067/",
}


@pytest.mark.parametrize("number", MALFORMED.values(), ids=MALFORMED)
@pytest.mark.parametrize("level", ["0", "entries"])
def test_malformed_paths_are_refused(level, number):
    with pytest.raises(ValueError, match="not the path"):
        tree.parse_path(f"{level}/{number}")


@given(st.data())
def test_consistency_proofs_are_those_of_the_definition(leaves, tiles, data):
    size = data.draw(sizes)
    old_size = data.draw(st.integers(0, size))

    proof = tree.consistency_proof(old_size, size, tiles.__getitem__)

    assert proof == (rfc6962.proof(old_size, leaves[:size]) if old_size else [])


def test_a_smaller_tree_does_not_continue_a_larger_one(tiles):
    with pytest.raises(ValueError, match="a tree of 5 entries does not continue one of 6"):
        tree.consistency_proof(6, 5, tiles.__getitem__)


@given(st.data())
def test_a_tree_begins_with_each_of_its_earlier_roots_and_with_no_other(leaves, tiles, data):
    size = data.draw(sizes)
    old_size = data.draw(st.integers(0, size))
    root, old_root = (rfc6962.mth(leaves[:each]) for each in (size, old_size))

    assert tree.begins_with(old_size, old_root, size, root, tiles.__getitem__)
    assert not tree.begins_with(old_size, b"!" * 32, size, root, tiles.__getitem__)
    assert not tree.begins_with(size + 1, old_root, size, root, tiles.__getitem__)


@pytest.mark.security("Witnesses")
@pytest.mark.parametrize("old_size", [1, 300, 65_600, 69_999])
def test_a_root_of_tiles_that_somebody_has_changed_is_not_one_of_the_signed_tree(leaves, tiles, old_size):
    at = TilePosition(0, (old_size - 1) // 256)
    changed = bytearray(tiles[at])
    changed[(old_size - 1) % 256 * 32] ^= 1
    other = (tiles | {at: bytes(changed)}).__getitem__
    signed = rfc6962.mth(leaves)

    assert not tree.begins_with(old_size, tree.root(old_size, other), SIZE, signed, other)
