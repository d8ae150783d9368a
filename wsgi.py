"""The application of gunicorn and ``flask run``.

gunicorn.conf.py patches the process for gevent before this import.
"""

import atexit
import sys

import click
from flask.cli import run_command
from flask.helpers import get_debug_flag
from gevent import monkey
from werkzeug.serving import is_running_from_reloader

from app import create_app
from models.db.connection import database
from models.db.postgres import cooperate_with_gevent
from services.shared.errors import Refusal


def serves_with_flask_run() -> bool:
    """Whether this process is the server of ``flask run``: not another command, nor the reloader's parent."""
    context = click.get_current_context(silent=True)
    if context is None or context.command is not run_command:
        return False
    reload = context.params["reload"]
    return is_running_from_reloader() or not (get_debug_flag() if reload is None else reload)


if monkey.is_module_patched("socket"):
    cooperate_with_gevent()

app = create_app()
# When the last process closes SQLite's file, its -wal file is written into it and removed.
atexit.register(database.obj.close_idle)
if serves_with_flask_run():
    # Gunicorn's worker does this itself.
    try:
        app.extensions["realtime"].start()
    except Refusal as problem:
        sys.exit(str(problem))
