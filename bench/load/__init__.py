"""The load tools: what asks, spins and counts, from outside and as fast as it is answered."""
