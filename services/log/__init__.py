"""The transparency log: the Merkle tree, its tiles, signed notes, checkpoints and proof files."""
