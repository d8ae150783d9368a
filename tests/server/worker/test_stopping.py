"""SIGTERM stops the server in order during play and requests."""

import signal
import subprocess

import pytest

from tests.harness.servers import gunicorn, server_process
from tests.harness.sockets import Socket
from tests.support.raw_http import open_connection, read_until, read_until_closed

pytestmark = pytest.mark.process


@pytest.mark.guarantee("SIGTERM")
def test_the_server_ends_with_code_0_although_sockets_are_open(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server:
        sockets = [Socket(server.url, auth={"token": player.token}) for _ in range(5)]

        assert server.stop() == 0

    assert all(socket.transport.closed() for socket in sockets)
    for socket in sockets:
        socket.close()


SET_CODE = """POST /affiliate/set-code HTTP/1.1\r
Host: a\r
Authorization: Bearer {token}\r
Content-Type: application/json\r
Content-Length: 15\r
Connection: close\r
Expect: 100-continue\r
\r
"""


@pytest.mark.guarantee("SIGTERM")
def test_a_request_that_had_begun_is_answered(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server, open_connection(server.url) as connection:
        connection.sendall(SET_CODE.format(token=player.token).encode())
        read_until(connection, b"100 Continue\r\n\r\n")

        server.process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            server.process.wait(1.5)
        connection.sendall(b'{"code":"MINE"}')

        assert read_until_closed(connection).startswith(b"HTTP/1.1 200 OK")
        assert server.process.wait(30) == 0
