"""Spins at three production processes with two database connections each, on one PostgreSQL and one Redis."""

from functools import partial

import pytest

from models.bets import Bet
from models.db.connection import reading
from models.users import User
from services.maintenance import fairness, ledger_audit
from tests.harness.players import create_player
from tests.support.apps import ITEM, production_processes
from tests.support.at_once import all_at_once

pytestmark = [pytest.mark.redis, pytest.mark.thorough]

PROCESSES = 3
PLAYERS = 50
IN_PROGRESS = {"status": False, "error": "A spin is already in progress"}


@pytest.fixture(scope="module")
def platform(postgres, redis, warm_start, tmp_path_factory):
    """An app of the test's own process, and the addresses of the processes on its database."""
    changes = {"REDIS_URL": redis.url, "DATABASE_POOL_SIZE": "2"}
    directory = tmp_path_factory.mktemp("cluster")
    started = production_processes(postgres, directory, warm_start, processes=PROCESSES, **changes)
    with started as (app, cluster):
        yield app, cluster.urls


@pytest.mark.security("Coins")
@pytest.mark.regulation("RTS 14C: one game at a time")
def test_racing_spins_at_three_processes_settle_or_are_refused(platform, open_socket):
    app, urls = platform
    player = create_player(app, "racing")

    def play(socket):
        return [socket.spin({"amount": 0.5, "item": ITEM}) for _ in range(20)]

    played = all_at_once([partial(play, open_socket(url, player)) for url in urls])
    answers = [answer for each in played for answer in each]

    settled = [answer for answer in answers if answer["status"]]
    assert [answer for answer in answers if not answer["status"] and answer != IN_PROGRESS] == []
    with reading():
        nonces = sorted(Bet.select(Bet.nonce).where(Bet.user == player.id).scalars())
        balance = User.get_by_id(player.id).balance_cents
    assert nonces == list(range(1, len(settled) + 1))
    assert balance == 10_000 - 50 * len(settled) + sum(100 * answer["result"]["amount"] for answer in settled)
    assert ledger_audit.audit().mismatches == []
    assert fairness.audit(seeds=app.extensions["services"].seeds).mismatches == []


def test_fifty_players_spin_with_two_connections_a_process(platform, open_socket):
    """No spin opens a second connection within a transaction: the first ones would hold all of them."""
    app, urls = platform
    players = [create_player(app, f"player-{number}") for number in range(PLAYERS)]
    sockets = [open_socket(urls[number % PROCESSES], player) for number, player in enumerate(players)]
    for socket in sockets:
        socket.emit("upgrader:spin", {"amount": 1, "item": ITEM})

    answers = [socket.expect("upgrader:spin") for socket in sockets]

    assert [answer["status"] for answer in answers] == [True] * PLAYERS
    assert [socket.expect("upgrader:proof")["nonce"] for socket in sockets] == [1] * PLAYERS
