"""A production server and the program of verify/witness.py, as processes of their own."""

import base64

import pytest
import requests

from models.bets import Bet
from models.db.connection import reading
from tests.harness.servers import gunicorn
from tests.harness.sockets import Socket
from tests.harness.waiting import wait_until
from tests.harness.witnesses import setting_of, three_witnesses
from tests.support.raw_server import dribbling, raw_server
from tests.support.witnesses import names_below, size_of
from verify.witness import ED25519, Signer

pytestmark = pytest.mark.process

ORIGIN = "play.example.com/log"
SEED = b"the key of the log of this test."
SPIN = {"amount": 1, "requestId": "3f1f8c4e-6f0a-4b44-9d2b-0d1f4f3a9c55"}
LOG = {
    "LOG_ORIGIN": ORIGIN,
    "LOG_SIGNING_KEY": base64.b64encode(SEED).decode(),
    "UPGRADER_PROOF_DELAY": "0",
}


@pytest.fixture
def clock():
    """That of the machine."""
    return


@pytest.fixture
def item(app, add_item):
    return add_item(price=10)


@pytest.mark.guarantee("The public log")
def test_a_bet_is_in_a_checkpoint_that_two_of_three_programs_have_cosigned(
    player, item, env, warm_start, tmp_path
):
    with three_witnesses(tmp_path, origin=ORIGIN, log_seed=SEED) as running:
        running[1].kill()
        settings = env | LOG | {"LOG_WITNESSES": setting_of(running)}
        with warm_start.server_process(gunicorn(), settings, tmp_path) as server:
            bet = bet_at(server, player, item)
            wait_until(lambda: witnessed(server))
            proof = requests.get(f"{server.url}/bets/{bet}/tlog-proof", timeout=30).text
            _, _, note = proof.partition("\n\n")

            assert names_below(note) == [ORIGIN, "w1.example", "w3.example"]
            assert running[2].newest_note(ORIGIN).startswith(witnessed(server).partition("\n\n")[0])
            assert server.stop() == 0


@pytest.mark.security("Witnesses")
def test_bets_and_proofs_go_on_and_the_server_stops_while_all_witnesses_hang(
    player, item, env, warm_start, tmp_path
):
    key = Signer("slow.example", ED25519, b"." * 32).verifier_key
    with raw_server(dribbling(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", b"x")) as url:
        settings = env | LOG | {"LOG_WITNESSES": f"{key} {url}"}
        with warm_start.server_process(gunicorn(), settings, tmp_path) as server:
            bet = bet_at(server, player, item)
            wait_until(lambda: requests.get(f"{server.url}/bets/{bet}/tlog-proof", timeout=30).ok)

            assert witnessed(server) is None
            assert server.stop() == 0


def bet_at(server, player, item):
    """The id of a bet that is in the log."""
    socket = Socket(server.url, auth={"token": player.token})
    assert socket.spin(SPIN | {"item": item})["status"] is True
    socket.close()
    with reading():
        return Bet.get().id


def witnessed(server):
    """The newest witnessed checkpoint with a bet; None without one."""
    answer = requests.get(f"{server.url}/log/witnessed", timeout=30)
    return answer.text if answer.ok and size_of(answer.text) > 1 else None
