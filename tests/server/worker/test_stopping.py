"""SIGTERM stops the server in order during play."""

import pytest

from bench.harness.servers import gunicorn, server_process
from bench.harness.sockets import Socket

pytestmark = pytest.mark.process


@pytest.mark.guarantee("SIGTERM")
def test_the_server_ends_with_code_0_although_sockets_are_open(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server:
        sockets = [Socket(server.url, auth={"token": player.token}) for _ in range(5)]

        assert server.stop() == 0

    assert all(socket.transport.closed() for socket in sockets)
    for socket in sockets:
        socket.close()
