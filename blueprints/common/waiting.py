"""A request waits for the database only so long, however many statements it makes."""

from flask import Flask

from models import patience


def bound_waiting(app: Flask) -> None:
    """Give each request the patience for one answer. Socket events take theirs where they are handled."""
    app.before_request(patience.begin)

    @app.teardown_request
    def end(_failure: BaseException | None) -> None:
        patience.end()
