"""A fixture of the HTTP tests: views that a test adds."""

import pytest


@pytest.fixture
def add_view(app):
    """Adds a view to the app, for behaviour that no view of the contract shows yet."""

    def add(path, view, *methods):
        app.add_url_rule(path, endpoint=f"test:{path}", view_func=view, methods=methods or ("GET",))

    return add
