"""Operator's commands with the settings of another process, run in this one."""

from collections.abc import Mapping

from app import create_app
from bench.harness.servers import come_to_rest
from models.db.connection import database
from settings import Settings


def run_flask(env: Mapping[str, str], *arguments: str) -> str:
    """Run a command that must succeed on the database of these settings; what it printed."""
    app = create_app(Settings.from_env(env))
    try:
        result = app.test_cli_runner().invoke(args=list(arguments), catch_exceptions=False)
        assert result.exit_code == 0, result.stderr
        return result.stdout
    finally:
        come_to_rest(app)
        database.obj.close_idle()
