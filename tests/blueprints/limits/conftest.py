"""Fixtures of the tests of limits and breaks: a clock that the test sets, and requests of the player."""

from contextlib import suppress
from functools import partial

import pytest

from services.bets.upgrader import SpinRequest
from services.shared.errors import Refusal
from tests.harness.spins import Clock
from tests.support.apps import ITEM
from tests.support.at_once import all_at_once
from tests.support.client_seeds import client_seed_that

# Sunday, 22 November 2026, 13:45:00.123 UTC.
NOW = 1_795_355_100_123
# The next whole second.
BEGINNING = 1_795_355_101_000
DAY_MS = 24 * 3600 * 1000
NO_LIMITS = {"day": None, "week": None, "month": None}


@pytest.fixture
def clock():
    return Clock(NOW)


@pytest.fixture
def settings():
    # The tokens outlast the breaks.
    return {"JWT_TTL": "315360000"}


@pytest.fixture
def bet_at_once(app, make_app, clock, settings, player, add_item):
    """Lets the player bet a coin at two apps at once, twice each; how many bets were settled."""
    add_item(price=10)
    apps = [app, make_app(clock=clock, **settings)]

    def play(services):
        request = SpinRequest(user_id=player.id, amount=1, item=ITEM)
        with suppress(Refusal):
            services.bets.settle(services.upgrader, request)
            return 1
        return 0

    return lambda: sum(all_at_once([partial(play, each.extensions["services"]) for each in apps * 2]))


@pytest.fixture
def put(send, player):
    """Changes a limit as the player; the answer's status and body."""

    def put(value, kind="wager", period="day", *, code=None):
        body = {"kind": kind, "period": period, "value": value}
        return send(player, "PUT", "/limits", body, headers={} if code is None else {"X-2FA-Code": code})

    return put


@pytest.fixture
def spins_of(app, add_item, connect):
    """Plays spins of a player for an item of ten coins on one socket, which win or lose; the answer."""
    add_item(price=10)

    def spins_of(player):
        socket = connect(player)

        def spin(amount, *, wins=False, **more):
            seed = client_seed_that(wins, app=app, player=player, wager=amount, price=10)
            return socket.spin({"amount": amount, "item": ITEM, "clientSeed": seed} | more)

        return spin

    return spins_of


@pytest.fixture
def limits(client, player):
    """The answer of GET /limits to the player."""

    def get():
        answer = client.get("/limits", headers=player.headers)
        assert answer.status_code == 200, answer.text
        return answer.json

    return get


@pytest.fixture
def confirm(send, player):
    """Confirms a request as the player; the answer's status and body."""
    return lambda request, by=player: send(by, "POST", f"/limits/requests/{request['id']}/confirm")


@pytest.fixture
def take_break(send, player):
    """Begins a break of the player; the answer's status and body."""
    return lambda duration: send(player, "POST", "/limits/exclusion", {"duration": duration})
