"""Clients that stop reading, and clients that have gone, are disconnected and affect no others."""

import re

import pytest
import requests

from tests.harness.process_stats import resident_bytes
from tests.harness.servers import gunicorn, server_process
from tests.harness.sockets import Socket
from tests.harness.waiting import wait_until
from tests.server.worker.test_hostile_websockets import TEXT, frame, upgrade
from tests.support.raw_http import open_connection, read_until

pytestmark = pytest.mark.process

MIB = 1024 * 1024
PACKETS_WAITING = 500
# More than the kernel keeps for one connection, and then more than the server does.
TIMES, BYTES = 1_500, 16_384


def join(url):
    """A spectator's websocket without a library, welcomed."""
    connection = upgrade(url)
    connection.sendall(frame(TEXT, b"40"))
    read_until(connection, b"live-bets")
    return connection


def sockets_open(url):
    text = requests.get(f"{url}/metrics", timeout=10).text
    return float(re.search(r"^sockets_open (\S+)$", text, re.MULTILINE)[1])


def be_loud(url, *, times, size):
    requests.get(f"{url}/loud?times={times}&bytes={size}", timeout=60).raise_for_status()


@pytest.mark.guarantee("Slow readers")
@pytest.mark.security("Hostile connections")
def test_a_websocket_that_stops_reading_is_closed_alone(loud):
    bystander, deaf = Socket(loud.url), join(loud.url)
    before = resident_bytes(loud.process.pid)
    heard = []

    for _ in range(10):
        be_loud(loud.url, times=TIMES // 10, size=BYTES)
        heard += [bystander.expect("live-bets:new")["number"] for _ in range(TIMES // 10)]

    wait_until(lambda: sockets_open(loud.url) == 1)
    assert heard == list(range(TIMES // 10)) * 10
    # A waiting event takes up to four times its size, and freed memory may stay with the process.
    assert resident_bytes(loud.process.pid) - before < 4 * PACKETS_WAITING * BYTES + 10 * MIB
    bystander.close()
    deaf.close()


@pytest.mark.guarantee("Slow readers")
def test_a_burst_reaches_clients_that_read(loud):
    listeners = [Socket(loud.url) for _ in range(5)]

    be_loud(loud.url, times=3 * PACKETS_WAITING, size=1)

    for listener in listeners:
        numbers = [listener.expect("live-bets:new")["number"] for _ in range(3 * PACKETS_WAITING)]
        assert numbers == list(range(3 * PACKETS_WAITING))
        listener.close()


@pytest.mark.thorough
@pytest.mark.security("Hostile connections")
def test_a_process_out_of_files_serves_clients_and_recovers(sqlite_files, tmp_path):
    limited = ["bash", "-c", 'ulimit -n 256 && exec "$@"', "bash", *gunicorn()]
    with sqlite_files.fresh(tmp_path) as url:
        env = {"DATABASE_URL": url, "INSTANCE_DIR": str(tmp_path / "instance")}
        with server_process(limited, env, tmp_path) as server:
            here = Socket(server.url)
            crowd = [open_connection(server.url) for _ in range(300)]

            assert here.spin("nonsense") == {"status": False, "error": "Unauthorized"}
            for connection in crowd:
                connection.close()
            assert requests.get(f"{server.url}/readyz", timeout=20).status_code == 200
            here.close()
