"""The demo catalogue: items, cases and IRL cases as import files, and the pictures of the items."""
