"""Production servers that the tests of one file may abuse, one after the other."""

from typing import Any

import pytest

from tests.harness.servers import gunicorn
from tests.support.apps import environment


def serving(target: str, *, scope: Any = "module", **changes: str) -> Any:
    """A fixture: a server of this app, with these changes of its environment.

    By default all tests of a file share it. Connections are handled before any database is asked, so it has
    one kind of database only.
    """

    @pytest.fixture(scope=scope)
    def server(warm_start, sqlite_files, tmp_path_factory):
        directory = tmp_path_factory.mktemp("production")
        with sqlite_files.fresh(directory) as url:
            env = environment(url, directory) | changes
            with warm_start.server_process(gunicorn(target), env, directory) as running:
                yield running

    return server


production = serving("wsgi:app")
limited = serving("wsgi:app", RATELIMIT_ENABLED="1")
"""With the limits on requests and events."""

hasty = serving("tests.support.changed_apps:short_deadlines()")
counting = serving("tests.support.changed_apps:counting()", RATELIMIT_ENABLED="1")
loud = serving("tests.support.changed_apps:loud()")
odd = serving("tests.support.odd_answers_app:app")
stuck = serving("tests.support.changed_apps:stuck()", scope="function")
