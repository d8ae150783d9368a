"""The app in this process, on the database of server processes, and its commands."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from flask import Flask

from app import create_app
from models.db.connection import database
from settings import Settings
from tests.harness.servers import come_to_rest


@contextmanager
def local_app(env: Mapping[str, str], **options: Any) -> Iterator[Flask]:
    """An app with these settings, which logs errors only. ``options`` are those of ``create_app``."""
    app = create_app(Settings.from_env(env), **options)
    log = logging.getLogger("platform")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield app
    finally:
        log.setLevel(level)
        come_to_rest(app)
        database.obj.close_all()


def run_flask(env: Mapping[str, str], *arguments: str) -> str:
    """Run a command that must succeed on the database of these settings; what it printed."""
    with local_app(env) as app:
        result = app.test_cli_runner().invoke(args=list(arguments), catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        return result.stdout
