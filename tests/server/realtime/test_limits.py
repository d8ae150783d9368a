"""Limits of transports: their number, ten seconds of silence, 64 KiB, and allowed origins."""

import json
import time
from contextlib import ExitStack

import pytest
import websocket

from bench.harness.sockets import Refused, Transport
from bench.harness.waiting import wait_until
from server.realtime import handshakes
from server.realtime import server as realtime_server
from tests.support.markers import sqlite_only

pytestmark = sqlite_only


@pytest.fixture
def short_handshake(monkeypatch):
    """The ten seconds of a handshake, made short enough to wait for."""
    monkeypatch.setattr(realtime_server, "HANDSHAKE_SECONDS", 0.2)


@pytest.fixture
def raw(server):
    """Opens bare transports."""
    with ExitStack() as stack:

        def open_raw(**options):
            transport = Transport(server, **options)
            stack.callback(transport.close)
            return transport

        yield open_raw


class TestWithAShortHandshake:
    @pytest.fixture
    def app(self, short_handshake, make_app):
        return make_app()

    def test_a_transport_that_never_joins_is_closed(self, raw):
        assert raw().closed()

    def test_a_transport_that_has_joined_stays_open(self, raw):
        joined, silent = raw(), raw()
        joined.send("40")

        assert silent.closed()
        joined.send('420["upgrader:spin"]')
        while not (packet := joined.receive()).startswith("430"):
            pass
        assert "Unauthorized" in packet


def test_a_message_over_64_kib_ends_the_connection(raw):
    socket = raw()
    socket.send("40")

    socket.send("42" + json.dumps(["upgrader:spin", "x" * 65_536]))

    assert socket.closed()


def test_a_message_that_is_not_json_does_not_affect_other_sockets(raw, connect, player):
    bystander = connect(player)
    socket = raw()
    socket.send("40")

    socket.send("42" + "[" * 30_000)

    assert bystander.spin("nonsense")["error"] == "Invalid request"


@pytest.mark.parametrize("origin", ["http://127.0.0.1:5000", "https://play.example.com"])
def test_an_allowed_origin_connects(origin, raw):
    assert raw(origin=origin).opened.startswith("0")


def test_another_origin_is_refused(raw):
    with pytest.raises(websocket.WebSocketBadStatusException):
        raw(origin="https://evil.example.com")


@pytest.mark.one_process
@pytest.mark.parametrize("name", ["connect", "disconnect"])
def test_an_event_named_connect_or_disconnect_changes_nothing(app, connect, new_player, name):
    alice, bob = new_player("alice"), new_player("bob")
    socket = connect(alice)

    socket.emit(name, {"token": bob.token}, {"token": bob.token})

    assert socket.spin("nonsense")["error"] == "Invalid request"
    connections = app.extensions["realtime"].connections
    assert (len(connections.sids_of(alice.id)), len(connections)) == (1, 1)


class TestWithFewHandshakes:
    @pytest.fixture
    def app(self, monkeypatch, make_app):
        monkeypatch.setattr(realtime_server, "HANDSHAKE_SECONDS", 0.5)
        monkeypatch.setattr(handshakes, "MAX_HANDSHAKES", 2)
        return make_app()

    def test_a_handshake_beyond_the_limit_is_refused_until_others_end(self, raw):
        first, second = raw(), raw()

        with pytest.raises(websocket.WebSocketBadStatusException) as refusal:
            raw()

        assert refusal.value.status_code == 401
        assert first.closed()
        assert second.closed()
        raw().send("40")


@pytest.mark.one_process
class TestWithRoomForThreeSocketsOfAnAddress:
    @pytest.fixture
    def settings(self):
        return {"RATELIMIT_ENABLED": "1"}

    @pytest.fixture
    def app(self, make_app, settings):
        return make_app(ADDRESS_MAX_SOCKETS="3", **settings)

    def test_players_and_spectators_count_together(self, connect, player):
        for socket_player in (None, player, None):
            connect(socket_player)

        with pytest.raises(Refused, match="Too many connections"):
            connect()
        with pytest.raises(Refused, match="Too many connections"):
            connect(player)

    def test_a_socket_that_leaves_makes_room_for_another_of_its_address(self, app, connect):
        sockets = [connect() for _ in range(3)]
        sockets[0].close()
        wait_until(lambda: len(app.extensions["realtime"].connections) == 2)

        assert connect().expect("live-bets") == []

    class TestBehindAProxy:
        @pytest.fixture
        def settings(self):
            return {"RATELIMIT_ENABLED": "1", "TRUSTED_PROXIES": "1"}

        def test_the_address_that_the_proxy_saw_counts(self, connect):
            for _ in range(3):
                connect(header=["X-Forwarded-For: 192.0.2.7"])

            with pytest.raises(Refused):
                connect(header=["X-Forwarded-For: 192.0.2.7"])
            assert connect(header=["X-Forwarded-For: 192.0.2.8"]).expect("live-bets") == []

    class TestWithTheLimitsOff:
        @pytest.fixture
        def settings(self):
            return {"RATELIMIT_ENABLED": "0"}

        def test_an_address_may_have_any_number_of_sockets(self, connect):
            assert [connect().expect("live-bets") for _ in range(5)] == [[]] * 5


class TestWithThreeHandshakesAMinute:
    @pytest.fixture
    def timer(self):
        return {"seconds": 0.0}

    @pytest.fixture
    def app(self, make_app, timer):
        return make_app(
            timer=lambda: timer["seconds"],
            RATELIMIT_ENABLED="1",
            ADDRESS_HANDSHAKES_PER_MINUTE="3",
            TRUSTED_PROXIES="1",
        )

    def test_the_fourth_of_an_address_is_refused_for_a_minute(self, raw, timer):
        for _ in range(3):
            raw().close()

        with pytest.raises(websocket.WebSocketBadStatusException):
            raw()
        timer["seconds"] = 60
        assert raw().opened.startswith("0")

    def test_another_address_is_not_affected(self, raw):
        for _ in range(3):
            raw(header=["X-Forwarded-For: 192.0.2.7"])

        with pytest.raises(websocket.WebSocketBadStatusException):
            raw(header=["X-Forwarded-For: 192.0.2.7"])
        assert raw(header=["X-Forwarded-For: 192.0.2.8"]).opened.startswith("0")

    def test_a_second_attempt_to_join_counts_as_a_handshake(self, raw):
        client = raw()

        for _ in range(4):
            client.send('40{"token":"bad"}')

        assert client.closed()


def test_leaving_the_namespace_closes_the_transport(raw):
    client = raw()
    client.send("40")

    client.send("41")

    assert client.closed()


def test_joining_twice_closes_the_transport(raw):
    client = raw()
    client.send("40")
    client.receive()

    client.send("40")

    assert client.closed()


@pytest.mark.one_process
class TestPings:
    @pytest.fixture
    def transports(self, app):
        """The library's server with short times."""
        transports = app.extensions["realtime"].socketio.server.eio
        transports.ping_interval, transports.ping_timeout = 0.05, 5
        return transports

    def test_a_client_that_answers_is_pinged_again(self, transports, raw):
        first, second = raw(), raw()

        packets = [(first.receive_any(), second.receive_any()) for _ in range(3)]

        assert packets == [("2", "2")] * 3

    def test_a_client_that_does_not_answer_a_ping_is_closed(self, transports, raw):
        transports.ping_timeout = 0.2
        silent = raw()
        silent.send("40")

        assert silent.closed(answering=False)

    def test_a_pong_says_when_its_ping_was_sent(self, app, transports, raw):
        pongs = []
        app.extensions["realtime"].on_pong(lambda sid, sent_at: pongs.append((sid, sent_at)))
        client = raw()
        client.send("40")
        joined = json.loads(client.receive().removeprefix("40"))
        joined_at = time.monotonic()

        while client.receive_any() != "2":
            pass
        wait_until(lambda: pongs)

        sid, sent_at = pongs[0]
        assert sid == joined["sid"]
        assert joined_at < sent_at < time.monotonic()

    def test_a_pong_that_answers_no_ping_is_ignored(self, app, raw):
        pongs = []
        app.extensions["realtime"].on_pong(lambda sid, sent_at: pongs.append(sid))
        client = raw()
        client.send("40")

        client.send("3")
        client.send('420["upgrader:spin"]')
        while not client.receive().startswith("430"):
            pass

        assert pongs == []


@pytest.mark.one_process
def test_the_server_keeps_nothing_of_closed_sockets(app, connect, new_player):
    realtime = app.extensions["realtime"]
    sockets = [connect(new_player(name)) for name in ("alice", "bob")] + [connect()]

    for socket in sockets:
        socket.close()
    wait_until(lambda: not realtime.connections and not realtime.manager.rooms)

    manager = realtime.manager
    assert (manager.pending_connect, manager.pending_disconnect, manager.callbacks) == ({}, {}, {})
