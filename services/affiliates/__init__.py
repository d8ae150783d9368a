"""Affiliates: codes, who came by which, and what their owners earn by it."""
