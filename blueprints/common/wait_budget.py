"""The wait budget: how long a request may wait for the database, over all its statements."""

from flask import Flask

from models import patience


def limit_waiting(app: Flask) -> None:
    """Give each request a budget. Handlers of socket events begin theirs themselves."""
    app.before_request(patience.begin)

    @app.teardown_request
    def end(_failure: BaseException | None) -> None:
        patience.end()
