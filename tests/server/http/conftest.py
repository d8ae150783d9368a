"""Fixtures of the HTTP tests: the log, and views that a test adds."""

import io
import json
import logging

import pytest

from server.logs import JsonLines


@pytest.fixture
def log_text(app):  # building the app sets up logging
    """Gives all that has been logged in this test so far, as it stands on standard error."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    yield written.getvalue
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def log_lines(log_text):
    """Gives the lines logged so far."""
    return lambda: [json.loads(line) for line in log_text().splitlines()]


@pytest.fixture
def add_view(app):
    """Adds a view to the app, for behaviour that no view of the contract shows yet."""

    def add(path, view, *methods):
        app.add_url_rule(path, endpoint=f"test:{path}", view_func=view, methods=methods or ("GET",))

    return add
