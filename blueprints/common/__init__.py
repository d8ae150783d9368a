"""What the areas share: callers, envelopes, pages, ready answers."""
