"""Fixtures: a server process whose database is backed up and restored."""

import json
import os
from contextlib import ExitStack

import pytest

from models.db.connection import database
from services.bets import rolls
from tests.harness.servers import gunicorn
from tests.harness.sockets import Socket
from tests.support import backups


@pytest.fixture
def serve(env, app, player, item, tmp_path, warm_start):
    """Runs the production server for a block, with other settings than the usual ones."""
    return lambda **changes: warm_start.server_process(gunicorn(), env | changes, tmp_path)


@pytest.fixture
def item(add_item):
    return add_item(price=10)


@pytest.fixture
def join(player):
    """Opens a socket of the player at a server; the socket and the announced commitment."""
    with ExitStack() as stack:

        def join(server):
            socket = Socket(server.url, auth={"token": player.token})
            stack.callback(socket.close)
            return socket, socket.expect("upgrader:commitment")

        yield join


@pytest.fixture
def backup(env, tmp_path, run):
    """Backs the database up, with the command for it."""

    def back_up():
        file = tmp_path / "backup"
        if env["DATABASE_URL"].startswith("sqlite"):
            run("db", "backup", str(file))
        else:
            backups.back_up(os.environ | env, file)

    return back_up


@pytest.fixture
def restore(env, tmp_path):
    """Puts the backup in the database's place."""

    def restore():
        # Connections of the test's own process, which is not what is tested here.
        database.obj.close_all()
        backups.restore(tmp_path / "backup", env["DATABASE_URL"])

    return restore


@pytest.fixture
def let_bets_go_on(app, run):
    """Runs ``flask log continue`` as an operator does, who types the number of lost entries."""

    def go_on():
        shown = app.test_cli_runner().invoke(args=["log", "continue", "--reason", "restored"])
        lost = json.loads(shown.stdout)["lost"]
        run("log", "continue", "--reason", "restored", "--lost", str(lost))
        database.obj.close_all()

    return go_on


@pytest.fixture
def spin_with(item):
    """Plays a spin for the ten-coin item; what the acknowledgement says."""
    return lambda socket, **more: socket.spin({"amount": 1, "item": item, **more})


def reveal(app, *bets):
    """Reveals the seeds of these bets, as for their proofs."""
    app.extensions["services"].proofs.reveal([bet.id for bet in bets])


def percent_of(server_seed, *, client_seed, nonce):
    """What a spin with these seeds rolls."""
    return rolls.percent(rolls.roll(server_seed=server_seed, client_seed=client_seed, nonce=nonce))
