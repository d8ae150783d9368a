import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from werkzeug.wrappers import Request, Response

from services.beacon.chain import QUICKNET, BadBeacon
from services.beacon.relays import Relay, RelayAway, read_chain
from tests.harness.servers import serving

ROUND = 1_000
SIGNATURE = "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39"
RANDOMNESS = "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd"
INFO = {
    "public_key": QUICKNET.public_key,
    "period": 3,
    "genesis_time": QUICKNET.genesis,
    "hash": QUICKNET.hash,
    "groupHash": QUICKNET.group_hash,
    "schemeID": "bls-unchained-g1-rfc9380",
    "metadata": {"beaconID": "quicknet"},
}


@pytest.fixture
def answers():
    """By path: the status and the body."""
    return {}


@pytest.fixture
def url(answers):
    @Request.application
    def application(request):
        status, body = answers[request.path]
        return Response(body if isinstance(body, bytes) else json.dumps(body), status)

    with serving(application) as address:
        yield address


@pytest.fixture
def relay(url):
    return Relay(f"{url}/", QUICKNET)


def path(name):
    return f"/{QUICKNET.hash}/public/{name}"


@pytest.mark.parametrize("randomness", [RANDOMNESS, "00" * 32, None])
def test_the_randomness_of_a_beacon_follows_from_its_signature(relay, answers, randomness):
    answers[path("latest")] = 200, {"round": ROUND, "signature": SIGNATURE, "randomness": randomness}

    assert relay.newest() == (ROUND, SIGNATURE, RANDOMNESS)


def test_a_round_is_proved_by_the_signature_whatever_the_relay_says_of_it(relay, answers):
    answers[path(ROUND)] = 200, {"round": 7, "signature": SIGNATURE}

    assert relay.of_round(ROUND) == (ROUND, SIGNATURE, RANDOMNESS)


@pytest.mark.parametrize("status", [404, 425, 500])
def test_a_round_that_is_not_published_yet_has_no_beacon(relay, answers, status):
    answers[path(ROUND)] = status, b"too early"

    assert relay.of_round(ROUND) is None


@pytest.mark.parametrize("claimed", [ROUND + 1, ROUND - 1])
def test_a_relay_that_calls_a_beacon_that_of_another_round_is_not_believed(relay, answers, claimed):
    answers[path("latest")] = 200, {"round": claimed, "signature": SIGNATURE}

    with pytest.raises(BadBeacon):
        relay.newest()


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(200, b"<html>", id="a page"),
        pytest.param(200, [], id="a list"),
        pytest.param(200, {}, id="nothing"),
        pytest.param(200, {"round": True, "signature": SIGNATURE}, id="a flag as the round"),
        pytest.param(200, {"round": 0, "signature": SIGNATURE}, id="round 0"),
        pytest.param(200, {"round": 2**64, "signature": SIGNATURE}, id="a round beyond all"),
        pytest.param(200, {"round": ROUND, "signature": 5}, id="a number as the signature"),
        pytest.param(200, b"[" * 10_000, id="deep brackets"),
        pytest.param(200, b" " * 20_000, id="a long answer"),
        pytest.param(403, {}, id="forbidden"),
        pytest.param(404, {}, id="no beacon at all"),
    ],
)
def test_a_relay_that_answers_with_anything_else_counts_as_away(relay, answers, status, body):
    answers[path("latest")] = status, body

    with pytest.raises(RelayAway):
        relay.newest()


def test_a_relay_that_does_not_answer_is_away():
    with pytest.raises(RelayAway):
        Relay("http://127.0.0.1:1", QUICKNET).newest()


def test_a_network_is_what_hashes_to_its_name(url, answers):
    answers[f"/{QUICKNET.hash}/info"] = 200, INFO

    assert read_chain(url, QUICKNET.hash) == QUICKNET


@pytest.mark.parametrize(
    "change",
    [
        {"public_key": QUICKNET.public_key[:-2] + "00"},
        {"genesis_time": QUICKNET.genesis + 3},
        {"period": 30},
        {"groupHash": "00" * 32},
        {"metadata": {"beaconID": "other"}},
        {"metadata": None},
        {"schemeID": "pedersen-bls-chained"},
        {"genesis_time": -1},
        {"public_key": None},
    ],
    ids=str,
)
def test_a_description_that_does_not_hash_to_the_name_is_refused(url, answers, change):
    answers[f"/{QUICKNET.hash}/info"] = 200, INFO | change

    with pytest.raises(RelayAway):
        read_chain(url, QUICKNET.hash)


class KeepingOpen(BaseHTTPRequestHandler):
    """Answers any number of requests on one connection."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = json.dumps({"round": ROUND, "signature": SIGNATURE}).encode()
        self.server.clients.add(self.client_address)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


def test_a_relay_is_asked_on_one_connection():
    with ThreadingHTTPServer(("127.0.0.1", 0), KeepingOpen) as server:
        server.clients = set()
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        relay = Relay(f"http://127.0.0.1:{server.server_port}", QUICKNET)

        answers = {relay.newest() for _ in range(3)}

        assert answers == {(ROUND, SIGNATURE, RANDOMNESS)}
        assert len(server.clients) == 1
        relay._connections.clear()
        server.shutdown()
