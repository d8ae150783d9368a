"""All trees that are signed during a test, and whether each log has one history."""

from contextlib import contextmanager
from itertools import combinations

from models.db.connection import reading
from services.log.bundles import read_tile
from services.log.notes import Checkpoint
from services.log.sequencer import Sequencer
from services.log.tree import HASH_SIZE, TILE_WIDTH, TilePosition
from tests.services.log.rfc6962 import mth


class SignedTrees:
    """The checkpoints that were signed and committed, and the leaf hashes that the log had then."""

    def __init__(self):
        self.trees = []

    def add(self, note):
        text, _, _ = note.rpartition("\n\n")
        checkpoint = Checkpoint.parse(f"{text}\n")
        self.trees.append((checkpoint, leaf_hashes(checkpoint.size)))

    @property
    def origins(self):
        """The origins, in the order of their first checkpoints."""
        return list(dict.fromkeys(checkpoint.origin for checkpoint, _ in self.trees))

    def assert_one_history_each(self):
        """Compare each two checkpoints of an origin, by the definition of the root alone."""
        in_order = sorted(self.trees, key=lambda tree: tree[0].size)
        for checkpoint, leaves in in_order:
            assert mth(leaves) == checkpoint.root
        for (earlier, _), (later, leaves) in combinations(in_order, 2):
            if earlier.origin == later.origin:
                assert mth(leaves[: earlier.size]) == earlier.root, f"{earlier.origin}: {earlier.size}"


@contextmanager
def signed_trees(monkeypatch):
    """Record them."""
    signed, append = SignedTrees(), Sequencer.append

    def recorded(*arguments, **options):
        note = append(*arguments, **options)
        signed.add(note)
        return note

    monkeypatch.setattr(Sequencer, "append", recorded)
    yield signed


@reading()
def leaf_hashes(size):
    """The leaf hashes of the log in the database."""
    tiles = [read_tile(TilePosition(0, number)) for number in range(-(-size // TILE_WIDTH))]
    hashes = b"".join(tiles)[: size * HASH_SIZE]
    return [hashes[start : start + HASH_SIZE] for start in range(0, len(hashes), HASH_SIZE)]
