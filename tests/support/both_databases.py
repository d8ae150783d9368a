"""Asking the same of the platform on either database, to hold one's answers against the other's."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from app import create_app
from bench.harness.sample_data import Inhabitant, live_in
from bench.harness.servers import come_to_rest
from models.db.connection import database
from settings import Settings

SECRET = "a secret of the tests, long enough to be one"
NOWHERE = "http://127.0.0.1:9"


def on_each(
    databases: list[Any], directory: Path, ask: Callable[[FlaskClient, Inhabitant], Any]
) -> list[Any]:
    """What ``ask`` returns on each of these, for a player of a platform that is lived in."""
    answers = []
    for kind in databases:
        with kind.fresh(directory) as url:
            environment = {
                "DATABASE_URL": url,
                # Of its own: another database in its place would have its seeds redrawn.
                "INSTANCE_DIR": str(directory / f"instance-{len(answers)}"),
                "SECRET_KEY": SECRET,
                "JWT_SECRET": SECRET[::-1],
                "PLATFORM_OPENID_URL": f"{NOWHERE}/openid/login",
            }
            app = create_app(Settings.from_env(environment))
            try:
                answers.append(ask(app.test_client(), live_in(app)))
            finally:
                come_to_rest(app)
                database.obj.close_idle()
    return answers
