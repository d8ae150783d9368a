"""Hashes of a Merkle tree (RFC 6962, section 2.1), with SHA-256. All hashes have 32 bytes."""

from collections.abc import Sequence
from hashlib import sha256

EMPTY_ROOT = sha256().digest()
"""The root of a tree without leaves."""


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


def root_from_proof(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """The root that an inclusion proof leads to, to compare with a checkpoint's (RFC 9162, section 2.1.3.2).

    ``leaf`` is the leaf hash of entry ``index`` in a tree of ``size`` entries; ``proof`` begins with its
    sibling. Raises ValueError for an index outside of the tree, or a proof of a wrong length.
    """
    if not 0 <= index < size:
        raise ValueError(f"entry {index} is not in a tree of {size} entries")
    root, node, last = leaf, index, size - 1
    for sibling in proof:
        if last == 0:
            raise ValueError("the inclusion proof is too long")
        if node & 1 or node == last:
            root = node_hash(sibling, root)
            while node & 1 == 0 and node != 0:
                node, last = node >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        node, last = node >> 1, last >> 1
    if last != 0:
        raise ValueError("the inclusion proof is too short")
    return root
