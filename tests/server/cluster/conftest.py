"""Processes of the platform on one PostgreSQL and one Redis: servers of threads, or of gunicorn."""

from contextlib import ExitStack

import pytest

from server.cluster import cluster as product
from tests.harness.servers import threaded_server
from tests.harness.waiting import wait_until
from tests.support.apps import app_on, production_processes, two_processes


@pytest.fixture(scope="package", autouse=True)
def short_rounds():
    """The two seconds between two rounds, made shorter for the servers of threads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product, "ROUND_SECONDS", 0.2)
        yield


@pytest.fixture
def start(make_app, redis):
    """Starts a server of threads; its app and its address. Returns when its signals arrive."""
    with ExitStack() as stack:

        def start_app(**changes):
            app = make_app(REDIS_URL=redis.url, **changes)
            url = stack.enter_context(threaded_server(app))
            wait_until(lambda: app.extensions["services"].signals.state == "ok")
            return app, url

        yield start_app


@pytest.fixture(scope="module")
def changes():
    """The settings of a file for the two servers of threads."""
    return {}


@pytest.fixture(scope="module")
def two(postgres, redis, changes, tmp_path_factory):
    """Two servers of threads: their apps and addresses."""
    with two_processes(postgres, tmp_path_factory.mktemp("two"), redis, **changes) as processes:
        yield processes


@pytest.fixture(scope="package")
def gunicorns(postgres, redis, warm_start, tmp_path_factory):
    """The settings and the addresses of two gunicorn processes."""
    directory = tmp_path_factory.mktemp("gunicorns")
    with production_processes(postgres, directory, warm_start, REDIS_URL=redis.url) as (app, started):
        yield app.extensions["services"].settings, started.urls


@pytest.fixture(scope="module")
def gunicorn_app(gunicorns):
    """An app of the test's own process, on the database of the gunicorn processes."""
    # One for each file: the tests of another file may have opened another database.
    with app_on(gunicorns[0]) as app:
        yield app


@pytest.fixture
def urls(gunicorns):
    """The addresses of the gunicorn processes."""
    return gunicorns[1]
