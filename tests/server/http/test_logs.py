"""The log: one line for each request, without secrets."""

import json
import os
import subprocess
import sys
from datetime import datetime

import pytest
import requests

from bench.harness.servers import ROOT, flask_run, free_port, gunicorn, server_process
from bench.harness.sockets import Refused, Socket
from tests.support.markers import sqlite_only

SEARCHED = "a-search-of-nobodys-business"
CLIENT_SEED = "my-very-own-client-seed"
REQUEST_ID = "a-request-of-mine"


@sqlite_only
def test_a_request_is_logged_in_one_line(client, log_lines):
    answer = client.get("/upgrader/rules")

    [line] = log_lines()
    assert sorted(line) == [
        "level",
        "logger",
        "message",
        "method",
        "ms",
        "request_id",
        "route",
        "status",
        "time",
        "timestamp",
    ]
    assert (line["method"], line["route"], line["status"]) == ("GET", "/upgrader/rules", 200)
    assert line["request_id"] == answer.headers["X-Request-Id"]


def test_a_line_has_its_time_in_milliseconds_and_in_iso_8601(client, log_lines):
    client.get("/upgrader/rules")

    [line] = log_lines()
    assert line["timestamp"].endswith("+00:00")
    assert datetime.fromisoformat(line["timestamp"]).timestamp() == line["time"] / 1000


@sqlite_only
def test_the_time_a_request_took_is_in_milliseconds(client, log_lines):
    client.get("/upgrader/rules")

    [line] = log_lines()
    assert isinstance(line["ms"], float)
    assert line["ms"] >= 0


@sqlite_only
def test_every_request_has_a_unique_id(client, log_lines):
    for _ in range(3):
        client.get("/healthz")

    assert len({line["request_id"] for line in log_lines()}) == 3


@sqlite_only
def test_a_request_id_from_a_client_is_ignored(client, log_lines):
    client.get("/healthz", headers={"X-Request-Id": "chosen by a client"})

    [line] = log_lines()
    assert line["request_id"] != "chosen by a client"


@sqlite_only
@pytest.mark.parametrize(
    ("path", "route", "status"),
    [
        ("/no-such-path/5eed", "unknown", 404),
        ("/auth/me", "/auth/me", 401),
        ("/upgrader/bets/7", "/upgrader/bets/<int:nonce>", 401),
        ("/upgrader/items/pagination?limit=0", "/upgrader/items/pagination", 400),
    ],
)
def test_a_refused_request_is_logged_in_one_line(client, log_lines, path, route, status):
    client.get(path)

    assert [(line["route"], line["status"]) for line in log_lines()] == [(route, status)]


@sqlite_only
def test_a_request_with_a_wrong_method_is_logged_in_one_line(client, log_lines):
    client.post("/healthz")

    assert [(line["method"], line["status"]) for line in log_lines()] == [("POST", 405)]


@sqlite_only
def test_a_failed_request_is_logged_with_one_line_for_its_failure(client, fail_at, log_lines):
    fail_at("/probe")

    client.get("/probe")

    lines = log_lines()
    assert [line["status"] for line in lines if line["message"] == "request"] == [500]
    assert [line["message"] for line in lines if line["level"] == "error"] == ["request failed"]


@sqlite_only
def test_a_line_break_in_a_path_does_not_break_a_line(client, log_text):
    client.get('/healthz%0a{"level":"error"}')

    assert len(log_text().splitlines()) == 1


@pytest.fixture(params=[gunicorn, flask_run], ids=lambda server: server.__name__)
def running(request, env, tmp_path):
    """A server process as operators run it, and its log."""
    with server_process(request.param(), env, tmp_path) as running:
        yield running


def play(url, player, item):
    """Spin over both transports, well and badly; returns the revealed server seed."""
    socket = Socket(url, auth={"token": player.token})
    socket.spin({"amount": 1, "item": item, "clientSeed": CLIENT_SEED, "requestId": REQUEST_ID})
    socket.spin({"amount": "1", "item": item, "clientSeed": CLIENT_SEED})
    proof = socket.expect("upgrader:proof")
    socket.close()
    polling = f"{url}/socket.io/?EIO=4&transport=polling"
    session = json.loads(requests.get(polling, timeout=10).text[1:])["sid"]
    accepted = requests.post(f"{polling}&sid={session}", f'40{{"token":"{player.token}"}}', timeout=10)
    assert accepted.text == "OK"
    with pytest.raises(Refused):
        Socket(url, auth={"token": f"{player.token}x"})
    return proof["serverSeed"]


def look_around(url, player):
    """Ask for everything, with the token where it belongs and where it does not."""
    for path in ("/auth/me", "/auth/logout", "/upgrader/commitment", "/upgrader/bets/1"):
        requests.get(f"{url}{path}", headers=player.headers, timeout=10)
    for path in ("/auth/me", "/no-such-path", "/", "/upgrader/items/pagination"):
        requests.get(f"{url}{path}?token={player.token}&search={SEARCHED}&page=0", timeout=10)


@sqlite_only
@pytest.mark.process
def test_no_secret_is_in_the_log_of_a_server(running, player, add_item):
    server_seed = play(running.url, player, add_item(price=10))
    look_around(running.url, player)
    running.stop()

    log = running.log.read_text()

    secrets = [player.token, server_seed, CLIENT_SEED, SEARCHED, REQUEST_ID, "token="]
    assert '"event":"upgrader:spin"' in log
    assert '"route":"/upgrader/bets/<int:nonce>"' in log
    assert [secret for secret in secrets if secret in log] == []


@sqlite_only
@pytest.mark.process
def test_every_log_line_of_the_program_is_json(running, player, add_item):
    play(running.url, player, add_item(price=10))
    look_around(running.url, player)
    running.stop()

    lines = [line for line in running.log.read_text().splitlines() if "platform." in line]

    assert {json.loads(line)["logger"] for line in lines} == {
        "platform.request",
        "platform.events",
        "platform.clients",
    }


@pytest.mark.process
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_gunicorns_lines_have_the_same_format(env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as running:
        running.stop()

    lines = [json.loads(line) for line in running.log.read_text().splitlines()]

    of_gunicorn = [line for line in lines if line["logger"] == "gunicorn.error"]
    assert of_gunicorn[0]["message"].startswith("Starting gunicorn")
    assert {tuple(line) for line in of_gunicorn} == {("time", "timestamp", "level", "logger", "message")}


@pytest.mark.process
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_exception_in_gunicorns_log_is_one_line_without_a_traceback(env, tmp_path):
    (tmp_path / "broken.py").write_text("app = 1 / 0")
    command = [*gunicorn("broken:app"), "--pythonpath", str(tmp_path)]

    ended = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **env, "PORT": str(free_port())},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    # gunicorn also prints the bare text of the exception.
    lines = [json.loads(line) for line in ended.stderr.splitlines() if line.startswith("{")]
    [failed] = [line for line in lines if "failure" in line]
    assert (failed["logger"], failed["level"]) == ("gunicorn.error", "error")
    assert "broken.py:1" in failed["failure"]
    assert "Traceback" not in ended.stderr


@pytest.mark.process
def test_a_warning_is_one_line_of_json():
    script = """
import warnings
from server.logs import configure_logging
configure_logging()
warnings.warn("first\\nsecond", stacklevel=1)
"""

    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
    )

    (line,) = ended.stderr.splitlines()
    assert (json.loads(line)["level"], json.loads(line)["logger"]) == ("warning", "py.warnings")
