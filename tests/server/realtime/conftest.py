"""Players with names of their own, and an app that the tests of a file can share."""

import itertools

import pytest

from tests.harness.players import create_player
from tests.harness.servers import threaded_server
from tests.support.apps import fresh_app, import_item

_names = (f"player{number}" for number in itertools.count(1))


@pytest.fixture
def player(app):
    return create_player(app, next(_names))


@pytest.fixture(scope="module")
def changes():
    """The settings of a file for its shared app."""
    return {}


@pytest.fixture(scope="module")
def shared(sqlite_files, changes, tmp_path_factory):
    """An app on SQLite with the item ``ITEM``, and its address."""
    with fresh_app(sqlite_files, tmp_path_factory.mktemp("shared"), **changes) as app:
        import_item()
        with threaded_server(app) as url:
            yield app, url


def on_shared_app():
    """Two fixtures, ``app`` and ``server``: the shared app and its address instead of the test's own."""

    @pytest.fixture(scope="module")
    def app(shared):
        return shared[0]

    @pytest.fixture(scope="module")
    def server(shared):
        return shared[1]

    return app, server
