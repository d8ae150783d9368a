"""Limits of transports: their number, and how long they may be silent."""

import json
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pytest
import websocket

from server.realtime import packets, realtime, transport
from tests.harness.servers import threaded_server
from tests.harness.sockets import Refused, Transport
from tests.harness.waiting import wait_until
from tests.server.realtime.conftest import on_shared_app
from tests.support.apps import app_on

app, server = on_shared_app()


@pytest.fixture
def raw(server):
    """Opens bare transports, to the shared app or to another address."""
    with ExitStack() as stack:

        def open_raw(url=server, **options):
            transport = Transport(url, **options)
            stack.callback(transport.close)
            return transport

        yield open_raw


@contextmanager
def serving(app, *, timer=time.monotonic, **changes):
    """Another app on the database of this one; its address."""
    settings = replace(app.extensions["services"].settings, **changes)
    with app_on(settings, timer=timer) as other, threaded_server(other) as url:
        yield url


def limited(app, **options):
    """Another app with the limits of addresses, which a proxy tells it."""
    return serving(app, ratelimit_enabled=True, trusted_proxies=1, **options)


def is_refused(open_transport, *args, **options):
    try:
        open_transport(*args, **options)
    except websocket.WebSocketBadStatusException as refusal:
        return refusal.status_code == 401
    return False


def from_address(address):
    return {"header": [f"X-Forwarded-For: {address}"]}


@pytest.fixture
def time_to_join_is_over(monkeypatch):
    """Call it to end the time in which the clients that are connected now may join."""
    ahead = [0.0]
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + ahead[0])
    monkeypatch.setattr(transport, "time", later)
    return lambda: ahead.append(ahead.pop() + transport.HANDSHAKE_SECONDS)


@pytest.mark.guarantee("Stopped clients")
def test_a_transport_is_closed_unless_it_joins(app, raw, time_to_join_is_over):
    with serving(app) as url:
        joined, silent = raw(url), raw(url)
        joined.send("40")
        joined.receive()

        time_to_join_is_over()

        assert silent.closed()
        joined.send('420["upgrader:spin"]')
        while not (packet := joined.receive()).startswith("430"):
            pass
        assert "Unauthorized" in packet


def test_a_handshake_beyond_the_limit_is_refused_until_others_end(
    app, raw, monkeypatch, time_to_join_is_over
):
    monkeypatch.setattr(packets, "MAX_HANDSHAKES", 2)
    with serving(app) as url:
        first, second = raw(url), raw(url)

        assert is_refused(raw, url)
        time_to_join_is_over()
        assert first.closed()
        assert second.closed()
        raw(url).send("40")


def test_a_message_over_64_kib_ends_the_connection(raw):
    socket = raw()
    socket.send("40")

    socket.send("42" + json.dumps(["upgrader:spin", "x" * 65_536]))

    assert socket.closed()


def test_an_unknown_event_is_answered_with_an_error(connect, player):
    for socket in (connect(player), connect()):
        for name in ("no-such-event", "", "upgrader:pf", "connect", "disconnect", 7):
            assert socket.call(name, {}) == {"status": False, "error": "Unknown event"}, name


def test_players_and_spectators_of_one_address_share_its_sockets(app, open_socket, player, monkeypatch):
    monkeypatch.setattr(realtime, "SOCKETS_OF_ADDRESS", 3)
    with limited(app) as url:
        here, elsewhere = from_address("192.0.2.7"), from_address("192.0.2.8")
        sockets = [open_socket(url, each, **here) for each in (None, player, None)]

        for each in (None, player):
            with pytest.raises(Refused, match="Too many connections"):
                open_socket(url, each, **here)
        assert open_socket(url, **elsewhere).expect("live-bets") is not None
        sockets[0].close()
        wait_until(lambda: can_join(open_socket, url, here))


@pytest.mark.security("Shared caches")
def test_sockets_and_handshakes_of_a_64_and_of_a_48_are_limited(app, open_socket, raw, monkeypatch):
    monkeypatch.setattr(realtime, "SOCKETS_OF_ADDRESS", 1)
    networks = [f"2001:db8:0:{number}::1" for number in range(8)]
    with limited(app) as url:
        sockets = [open_socket(url, **from_address(network)) for network in networks]

        for address in ("2001:db8:0:1::2", "2001:db8:0:8::1"):
            assert not can_join(open_socket, url, from_address(address))
        assert can_join(open_socket, url, from_address("2001:db8:1::1"))
        sockets[1].close()
        wait_until(lambda: can_join(open_socket, url, from_address("2001:db8:0:8::1")))
    monkeypatch.setattr(packets, "HANDSHAKES_A_MINUTE", 1)
    with limited(app, timer=lambda: 0.0) as url:
        for network in networks:
            raw(url, **from_address(network)).close()

        assert is_refused(raw, url, **from_address("2001:db8:0:1::2"))
        assert is_refused(raw, url, **from_address("2001:db8:0:8::1"))
        assert raw(url, **from_address("2001:db8:1::1")).opened.startswith("0")


def can_join(open_socket, url, header):
    try:
        open_socket(url, **header)
    except Refused:
        return False
    return True


def test_handshakes_of_an_address_beyond_the_limit_are_refused_for_a_minute(app, raw, monkeypatch):
    monkeypatch.setattr(packets, "HANDSHAKES_A_MINUTE", 3)
    now = [0.0]
    with limited(app, timer=lambda: now[0]) as url:
        here = from_address("192.0.2.7")
        for _ in range(3):
            raw(url, **here).close()

        assert is_refused(raw, url, **here)
        client = raw(url, **from_address("192.0.2.8"))
        now[0] = 60
        assert raw(url, **here).opened.startswith("0")

        # Attempts to join after the first one count as handshakes.
        for _ in range(5):
            client.send('40{"token":"bad"}')
        assert client.closed()


def test_joining_twice_closes_the_transport(raw):
    client = raw()
    client.send("40")
    client.receive()

    client.send("40")

    assert client.closed()


class TestPings:
    @pytest.fixture
    def transports(self, app, monkeypatch):
        """The library's server with short times."""
        transports = app.extensions["realtime"].socketio.server.eio
        monkeypatch.setattr(transports, "ping_interval", 0.05)
        monkeypatch.setattr(transports, "ping_timeout", 5)
        return transports

    @pytest.mark.guarantee("Stopped clients")
    @pytest.mark.security("Hostile connections")
    def test_a_client_that_does_not_answer_a_ping_is_closed(self, transports, raw):
        transports.ping_timeout = 0.2
        silent = raw()
        silent.send("40")

        assert silent.closed(answering=False)


def test_the_server_keeps_nothing_of_closed_sockets(app, connect, player):
    realtime = app.extensions["realtime"]
    sockets = [connect(player), connect(player), connect()]

    for socket in sockets:
        socket.close()
    wait_until(lambda: not realtime.connections and not realtime.manager.rooms)

    manager = realtime.manager
    assert (manager.pending_connect, manager.pending_disconnect, manager.callbacks) == ({}, {}, {})
