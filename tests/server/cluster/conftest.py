"""Two processes of the platform, here two servers of threads, on one PostgreSQL and one Redis."""

from contextlib import ExitStack

import pytest

from bench.harness.servers import threaded_server
from bench.harness.waiting import wait_until


@pytest.fixture
def start(make_app, redis):
    """Starts a process; its app and its address. Returns when its signals arrive."""
    with ExitStack() as stack:

        def start_app(**changes):
            app = make_app(REDIS_URL=redis.url, **changes)
            url = stack.enter_context(threaded_server(app))
            wait_until(lambda: not app.extensions["services"].signals.are_away)
            return app, url

        yield start_app
