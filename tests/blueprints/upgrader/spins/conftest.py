"""Fixtures of the tests of spins."""

import pytest

from server.realtime import repeated_task
from sockets import proofs
from tests.support.apps import hurry
from tests.support.client_seeds import client_seed_that
from tests.support.locks import waiting_for_locks

PRICE = 10


@pytest.fixture(autouse=True)
def short_waits(app):
    """Repeated work, such as looking overdue bets up, begins again at once instead of after seconds."""
    hurry(app)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeated_task, "RETRY_SECONDS", 0.05)
        patch.setattr(proofs, "TAKE_OVER_SECONDS", 0.1)
        patch.setattr(proofs, "LOOK_UP_SECONDS", 0.1)
        yield


@pytest.fixture
def item(add_item):
    """An item worth ten coins."""
    return add_item(price=PRICE)


@pytest.fixture
def winning(app, player):
    """Gives a client seed that wins the player's next spin for the ten-coin item."""
    return lambda wager=1: client_seed_that(True, app=app, player=player, wager=wager, price=PRICE)


@pytest.fixture
def losing(app, player):
    """Gives a client seed that loses it."""
    return lambda wager=1: client_seed_that(False, app=app, player=player, wager=wager, price=PRICE)


@pytest.fixture
def settling(app, player, database_url):
    """Whether a spin waits for the database. On SQLite it waits in a process that the test shares."""
    if database_url.startswith("sqlite"):
        return lambda: player.id in app.extensions["services"].player_locks
    return lambda: waiting_for_locks(database_url) == 1
