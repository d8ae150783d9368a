"""The log: one line for each request, without secrets."""

import json
import os
import subprocess
import sys
from datetime import datetime

import pytest
import requests

from tests.harness.servers import ROOT, flask_run, free_port, gunicorn, server_process
from tests.harness.sockets import Refused, Socket

SEARCHED = "a-search-of-nobodys-business"
CLIENT_SEED = "my-very-own-client-seed"
REQUEST_ID = "a-request-of-mine"


def test_a_request_is_logged_in_one_line(client, log_lines):
    answer = client.get("/upgrader/rules")

    [line] = log_lines()
    of_request = ("request_id", "method", "route", "status", "ms")
    assert set(line) == {"time", "timestamp", "level", "logger", "message", *of_request}
    assert (line["method"], line["route"], line["status"]) == ("GET", "/upgrader/rules", 200)
    assert line["request_id"] == answer.headers["X-Request-Id"]
    assert isinstance(line["ms"], float)
    assert line["ms"] >= 0
    assert line["timestamp"].endswith("+00:00")
    assert datetime.fromisoformat(line["timestamp"]).timestamp() == line["time"] / 1000


def test_every_request_has_a_unique_server_chosen_id(client, log_lines):
    for _ in range(3):
        client.get("/healthz", headers={"X-Request-Id": "0" * 32})

    ids = {line["request_id"] for line in log_lines()}
    assert len(ids) == 3
    assert "0" * 32 not in ids


def test_a_refused_request_is_logged_in_one_line(client, log_lines):
    for path in ("/no-such-path/5eed", "/auth/me", "/upgrader/bets/7", "/upgrader/items/pagination?limit=0"):
        client.get(path)
    client.post("/healthz")

    assert [(line["method"], line["route"], line["status"]) for line in log_lines()] == [
        ("GET", "unknown", 404),
        ("GET", "/auth/me", 401),
        ("GET", "/upgrader/bets/<int:nonce>", 401),
        ("GET", "/upgrader/items/pagination", 400),
        ("POST", "unknown", 405),
    ]


def test_a_failed_request_is_counted_and_logged_once(app, client, add_view, log_lines):
    app.config["PROPAGATE_EXCEPTIONS"] = False
    add_view("/probe", lambda: 1 / 0)

    request_id = client.get("/probe").headers["X-Request-Id"]

    lines = log_lines()
    assert [line["status"] for line in lines if line["message"] == "request"] == [500]
    failures = [line for line in lines if line["level"] == "error"]
    assert [(line["message"], line["request_id"]) for line in failures] == [("request failed", request_id)]
    counted = 'http_requests_total{method="GET",route="/probe",status="500"} 1.0'
    assert counted in client.get("/metrics").text.splitlines()


def test_a_line_break_in_a_path_breaks_no_line(client, log_text):
    client.get('/healthz%0a{"level":"error"}')

    assert len(log_text().splitlines()) == 1


def play(url, player, item):
    """Spin over both transports, and send the token where it does not belong; returns the server seed."""
    socket = Socket(url, auth={"token": player.token})
    socket.spin({"amount": 1, "item": item, "clientSeed": CLIENT_SEED, "requestId": REQUEST_ID})
    socket.spin({"amount": "1", "item": item, "clientSeed": CLIENT_SEED})
    proof = socket.expect("upgrader:proof")
    socket.close()
    Socket(url, auth={"token": player.token}, polling=True).close()
    with pytest.raises(Refused):
        Socket(url, auth={"token": f"{player.token}x"})
    requests.get(f"{url}/upgrader/bets/1", headers=player.headers, timeout=10)
    for path in ("/auth/me", "/no-such-path", "/", "/upgrader/items/pagination"):
        requests.get(f"{url}{path}?token={player.token}&search={SEARCHED}&page=0", timeout=10)
    return proof["serverSeed"]


@pytest.mark.guarantee("Secrets")
@pytest.mark.security("Logs, errors and the database")
@pytest.mark.process
@pytest.mark.parametrize("command", [gunicorn, pytest.param(flask_run, marks=pytest.mark.thorough)])
def test_a_servers_log_is_json_without_secrets(player, add_item, env, warm_start, tmp_path, command):
    item = add_item(price=10)
    start = warm_start.server_process if command is gunicorn else server_process
    with start(command(), env, tmp_path) as running:
        server_seed = play(running.url, player, item)
        running.stop()

    log = running.log.read_text()
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{") or "platform." in line]
    secrets = [player.token, server_seed, CLIENT_SEED, SEARCHED, REQUEST_ID, "token="]
    assert [secret for secret in secrets if secret in log] == []
    assert '"event":"upgrader:spin"' in log
    assert '"route":"/upgrader/bets/<int:nonce>"' in log
    loggers = {line["logger"] for line in lines}
    assert {logger for logger in loggers if logger.startswith("platform.")} == {
        "platform.request",
        "platform.events",
        "platform.clients",
    }
    # gunicorn's lines have the same format.
    of_gunicorn = [line for line in lines if line["logger"] == "gunicorn.error"]
    assert {tuple(line) for line in of_gunicorn} <= {("time", "timestamp", "level", "logger", "message")}
    assert any(line["message"].startswith("Starting gunicorn") for line in of_gunicorn) == (
        "gunicorn.error" in loggers
    )


@pytest.mark.process
@pytest.mark.thorough
def test_an_exception_in_gunicorns_log_is_one_line(env, tmp_path):
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
    script = (
        "import warnings, server.logs; server.logs.configure_logging('info'); warnings.warn('first\\nsecond')"
    )
    command = [sys.executable, "-c", script]

    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    (line,) = ended.stderr.splitlines()
    assert (json.loads(line)["level"], json.loads(line)["logger"]) == ("warning", "py.warnings")
