"""The demo catalogue: items, cases and IRL cases as import files, and their pictures."""
