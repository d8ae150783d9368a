"""Fixtures of the command tests: files to import, and databases without a schema."""

import json

import pytest

from tests.support.reused_databases import empty_database


@pytest.fixture
def write(tmp_path):
    """Writes a file for a command to read, from its text or from what its JSON says; its path."""

    def to_file(content, name="items.json"):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    return to_file


@pytest.fixture
def empty_database_url(database_url, tmp_path):
    """A database of each kind with nothing in it."""
    return empty_database(database_url, tmp_path)
