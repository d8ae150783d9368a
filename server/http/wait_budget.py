"""Limits how long each request may wait for the database. Socket events begin their budgets themselves."""

from flask import Flask

from models.db import waiting


def limit_waits_of_requests(app: Flask) -> None:
    """Give each request a wait budget (``models/db/waiting.py``)."""

    @app.before_request
    def begin() -> None:
        waiting.begin_budget()

    @app.teardown_request
    def end(_failure: BaseException | None) -> None:
        waiting.end_budget()
