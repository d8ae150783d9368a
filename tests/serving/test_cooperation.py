"""One player's slow query, or broken frame, is nobody else's."""

import threading
import urllib.request

import pytest

from tests.support.fault_proxy import before_postgres
from tests.support.servers import gunicorn, server_process
from tests.support.sockets import Socket


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_slow_query_does_not_hold_up_another_request(app, env, tmp_path):
    with server_process(gunicorn("tests.support.slow_query_app:app"), env, tmp_path) as server:
        order = []

        def ask(path):
            urllib.request.urlopen(server.url + path, timeout=20).close()
            order.append(path)

        slow = threading.Thread(target=ask, args=["/slow-query"])
        slow.start()
        # Answers once the slow query is under way, as the database itself sees it.
        ask("/while-the-query-sleeps")
        slow.join()

    assert order == ["/while-the-query-sleeps", "/slow-query"]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_frame_that_breaks_a_connection_leaves_one_line_and_no_traceback(player, env, tmp_path):
    with server_process(gunicorn(), env, tmp_path) as server:
        bystander = Socket(server.url, auth={"token": player.token})
        broken = Socket(server.url, auth={"token": player.token})

        broken.transport.send("")

        assert broken.transport.closed()
        assert bystander.spin("nonsense")["error"] == "Invalid request"
        log = server.log.read_text()
        for socket in (bystander, broken):
            socket.close()
    assert log.count("connection failed") == 1
    assert "Traceback" not in log


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_name_server_that_takes_its_time_holds_up_nobody_else(app, env, database_url, tmp_path):
    with before_postgres(database_url) as (_, address):
        named = env | {"DATABASE_URL": address.replace("127.0.0.1", "database.test")}
        with server_process(gunicorn("tests.support.slow_names_app:app"), named, tmp_path) as server:
            order = []

            def ask(path):
                urllib.request.urlopen(server.url + path, timeout=20).close()
                order.append(path)

            slow = threading.Thread(target=ask, args=["/readyz"])
            slow.start()
            for _ in range(10):
                slow.join(0.05)
                ask("/healthz")
            slow.join()

    assert order[:3] == ["/healthz"] * 3
    assert "/readyz" in order
