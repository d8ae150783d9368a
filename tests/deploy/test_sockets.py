"""Sockets through nginx with TLS, as deployed: logging in, spins and proofs, and the limits of an address."""

from urllib.parse import parse_qs, urlsplit

import pytest

from server.realtime.packets import HANDSHAKES_A_MINUTE
from tests.deploy.conftest import TIMEOUT_SECONDS
from tests.harness.node import node
from tests.harness.sockets import POLLING_ADDRESS
from tests.support.apps import ITEM

pytestmark = pytest.mark.nginx


def log_in(deployed, platform_id):
    """Log in with the game platform; the player's token."""
    deployed.provider.player = platform_id
    with deployed.session() as browser:
        address = f"{deployed.url}/auth/platform"
        for _ in ("to the provider", "back", "to the front end"):
            answer = browser.get(address, timeout=TIMEOUT_SECONDS, allow_redirects=False)
            address = answer.headers["Location"]
    assert address.startswith(f"{deployed.url}/?token=")
    return parse_qs(urlsplit(address).query)["token"][0]


@pytest.mark.parametrize(
    ("transport", "platform_id"),
    [
        ("websocket", "76561198000000001"),
        pytest.param("polling", "76561198000000002", marks=pytest.mark.thorough),
    ],
)
def test_a_player_logs_in_spins_and_gets_the_proof(deployed, transport, platform_id):
    deployed.flask("users", "create", "carol", "--platform-id", platform_id, "--balance", "100")
    token = log_in(deployed, platform_id)

    told = node("spin.mjs", deployed.url, token, transport, ITEM, 5, certificate=deployed.certificate)

    assert told["transport"] == transport
    assert told["hashes"] is True
    assert told["answer"]["result"]["success"] == (told["roll"] < 4_750_000)


@pytest.mark.thorough
def test_handshakes_are_counted_for_each_client_and_not_for_nginx(deployed):
    def begin(session, number):
        session.headers["X-Forwarded-For"] = f"192.0.2.{number % 250}"
        return session.get(deployed.url + POLLING_ADDRESS, timeout=TIMEOUT_SECONDS).status_code

    with deployed.session("127.0.0.4") as one, deployed.session("127.0.0.5") as other:
        answers = [begin(one, number) for number in range(HANDSHAKES_A_MINUTE + 1)]
        another = begin(other, 0)

    assert answers == [200] * HANDSHAKES_A_MINUTE + [401]
    assert another == 200
