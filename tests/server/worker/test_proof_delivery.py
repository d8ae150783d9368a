"""Proofs reach the real JavaScript client over failing networks and servers."""

from contextlib import contextmanager

import pytest

from bench.harness.faults.proxy import STALL_ANSWERS, fault_proxy
from bench.harness.servers import gunicorn
from bench.harness.sockets import Socket
from bench.harness.waiting import wait_until
from models.bets import Bet
from models.db.connection import reading
from tests.support.js_player import js_player

# Each transport and each database once.
pytestmark = [
    pytest.mark.process,
    pytest.mark.thorough,
    pytest.mark.parametrize(
        ("database_kind", "transport"), [("sqlite", "websocket"), ("postgresql", "polling")]
    ),
]


@pytest.fixture
def item(add_item):
    return add_item(price=10)


@pytest.fixture
def serve(env, warm_start, tmp_path):
    """Starts a production server with quick pings, as often as a test needs one."""
    return lambda **changes: warm_start.server_process(
        gunicorn("tests.support.changed_apps:quick_pings()"), env | changes, tmp_path
    )


@pytest.fixture
def js_client(player, transport):
    """Connects the player's JavaScript client to a URL."""
    return lambda url: js_player(url, player.token, transport=transport)


@contextmanager
def network(server):
    port = int(server.url.rsplit(":", 1)[1])
    with fault_proxy(("127.0.0.1", port)) as proxy:
        yield proxy, f"http://127.0.0.1:{proxy.port}"


def rows(condition):
    with reading():
        return Bet.select().where(condition).count()


@pytest.mark.security("Fairness")
def test_a_proof_lost_in_the_network_comes_after_a_kill(serve, js_client, item):
    with serve() as server, network(server) as (proxy, url), js_client(url) as client:
        spectator = Socket(server.url)
        proxy.become(STALL_ANSWERS)
        client.spin(amount=1, item=item)
        spectator.expect("live-bets:new")
        server.kill()
        spectator.close()

    with serve() as server, js_client(server.url) as back:
        assert back.expect("upgrader:proof")["nonce"] == 1
        wait_until(lambda: rows(Bet.proof_delivered_at_ms.is_null(False)) == 1)


def test_a_confirmed_proof_is_not_repeated_after_a_kill(serve, js_client, item):
    with serve() as server, js_client(server.url) as client:
        client.spin(amount=1, item=item)
        client.expect("upgrader:proof")
        wait_until(lambda: rows(Bet.proof_delivered_at_ms.is_null(False)) == 1)
        server.kill()

    with serve() as server, js_client(server.url) as back:
        back.spin(amount=1, item=item)
        back.expect("upgrader:pf")
        back.expect("upgrader:proof")

    assert [payload["nonce"] for name, payload in back.heard if name == "upgrader:proof"] == [2]
