"""The public log of bets: an append-only Merkle tree with signed checkpoints."""
