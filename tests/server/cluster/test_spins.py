"""Spins at three production processes with two database connections each, on one PostgreSQL and one Redis."""

from functools import partial

import pytest

from bench.harness.players import create_player
from models.bets import Bet
from models.db.connection import reading
from models.users import User
from services.maintenance import fairness_audit, ledger_audit
from tests.support.apps import ITEM, production_processes
from tests.support.at_once import all_at_once

pytestmark = [pytest.mark.redis, pytest.mark.thorough]

PROCESSES = 3
PLAYERS = 50
IN_PROGRESS = {"status": False, "error": "A spin is already in progress"}


@pytest.fixture(scope="module")
def platform(postgres, redis, warm_start, tmp_path_factory):
    changes = {"REDIS_URL": redis.url, "DATABASE_POOL_SIZE": "2"}
    directory = tmp_path_factory.mktemp("cluster")
    with production_processes(postgres, directory, warm_start, processes=PROCESSES, **changes) as platform:
        yield platform


@pytest.fixture(scope="module")
def app(platform):
    """An app of the test's own process, on the database of the others."""
    return platform[0]


@pytest.fixture(scope="module")
def urls(platform):
    """The addresses of the processes."""
    return platform[1].urls


@pytest.fixture
def new_player(app, request):
    """Creates players whose names are those of no other test."""
    return lambda number=0: create_player(app, f"{request.node.originalname[-20:]}-{number}")


@pytest.fixture
def join(urls, open_socket):
    """Opens a socket of the player at each process."""
    return lambda player: [open_socket(url, player) for url in urls]


def spin(**more):
    return {"amount": 1, "item": ITEM, **more}


@reading()
def nonces(player):
    return sorted(Bet.select(Bet.nonce).where(Bet.user == player.id).order_by(Bet.nonce).scalars())


@pytest.mark.security("Coins")
@pytest.mark.regulation("RTS 14C: one game at a time")
def test_racing_spins_at_three_processes_settle_or_are_refused(app, join, new_player):
    player = new_player()

    def play(socket):
        return [socket.spin(spin(amount=0.5)) for _ in range(20)]

    played = all_at_once([partial(play, socket) for socket in join(player)])
    answers = [answer for each in played for answer in each]

    settled = [answer for answer in answers if answer["status"]]
    assert [answer for answer in answers if not answer["status"] and answer != IN_PROGRESS] == []
    assert nonces(player) == list(range(1, len(settled) + 1))
    with reading():
        balance = User.get_by_id(player.id).balance_cents
    assert balance == 10_000 - 50 * len(settled) + sum(100 * answer["result"]["amount"] for answer in settled)
    assert ledger_audit.audit().mismatches == []
    assert fairness_audit.audit(seeds=app.extensions["services"].seeds).mismatches == []


def test_fifty_players_spin_with_two_connections_a_process(urls, new_player, open_socket):
    """No spin opens a second connection within a transaction: the first ones would hold all of them."""
    sockets = [open_socket(urls[number % PROCESSES], new_player(number)) for number in range(PLAYERS)]
    for socket in sockets:
        socket.emit("upgrader:spin", spin())

    answers = [socket.expect("upgrader:spin") for socket in sockets]
    proofs = [socket.expect("upgrader:proof") for socket in sockets]

    assert [answer["status"] for answer in answers] == [True] * PLAYERS
    assert [proof["nonce"] for proof in proofs] == [1] * PLAYERS
