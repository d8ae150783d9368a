"""Sends the same requests to an app on each database, to compare the answers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from tests.support.apps import fresh_app
from tests.support.sample_data import SamplePlayer, add_sample_data

NOWHERE = "http://127.0.0.1:9"


def on_each(
    databases: list[Any], directory: Path, ask: Callable[[FlaskClient, SamplePlayer], Any]
) -> list[Any]:
    """What ``ask`` returns on each of these databases, for a player of a platform with sample data."""
    answers = []
    for number, kind in enumerate(databases):
        # A directory for each: an instance that meets another database redraws its seeds.
        own = directory / str(number)
        own.mkdir()
        with fresh_app(kind, own, PLATFORM_OPENID_URL=f"{NOWHERE}/openid/login") as app:
            answers.append(ask(app.test_client(), add_sample_data(app)))
    return answers
