"""What transports may do: be so many, be silent for ten seconds, send 64 KiB, come from an allowed origin."""

import json
from contextlib import ExitStack

import pytest
import websocket

from blueprints.realtime import handshakes
from blueprints.realtime import server as realtime_server
from tests.support.sockets import Refused, Transport
from tests.support.waiting import wait_until


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

    def test_one_that_has_joined_stays(self, raw):
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


def test_a_message_that_is_not_json_harms_nobody_else(raw, connect, player):
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


@pytest.mark.parametrize("name", ["connect", "disconnect"])
def test_an_event_by_the_name_of_a_handshake_is_nothing_special(app, connect, new_player, name):
    alice, bob = new_player("alice"), new_player("bob")
    socket = connect(alice)

    socket.emit(name, {"token": bob.token}, {"token": bob.token})

    assert socket.spin("nonsense")["error"] == "Invalid request"
    connections = app.extensions["realtime"].connections
    assert (len(connections.sids_of(alice.id, now=0)), len(connections)) == (1, 1)


class TestWithFewHandshakes:
    @pytest.fixture
    def app(self, monkeypatch, make_app):
        monkeypatch.setattr(realtime_server, "HANDSHAKE_SECONDS", 0.5)
        monkeypatch.setattr(handshakes, "MAX_HANDSHAKES", 2)
        return make_app()

    def test_more_of_them_than_are_allowed_at_a_time_are_refused_and_come_again(self, raw):
        first, second = raw(), raw()

        with pytest.raises(websocket.WebSocketBadStatusException) as refusal:
            raw()

        assert refusal.value.status_code == 401
        assert first.closed()
        assert second.closed()
        raw().send("40")


class TestWithRoomForThreeSpectators:
    @pytest.fixture
    def settings(self):
        return {"RATELIMIT_ENABLED": "1"}

    @pytest.fixture
    def app(self, monkeypatch, make_app, settings):
        monkeypatch.setattr("app.MAX_SPECTATORS", 3)
        return make_app(**settings)

    def test_the_fourth_of_an_address_is_refused_and_a_player_is_not(self, connect, player):
        for _ in range(3):
            connect()

        with pytest.raises(Refused, match="Too many connections"):
            connect()
        assert connect(player).expect("balance")

    def test_one_that_leaves_makes_room(self, app, connect):
        spectators = [connect() for _ in range(3)]
        spectators[0].close()
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

        def test_a_load_test_may_have_as_many_as_it_likes(self, connect):
            assert [connect().expect("live-bets") for _ in range(5)] == [[]] * 5


class TestPings:
    @pytest.fixture
    def transports(self, app):
        """The library's server, in a hurry."""
        transports = app.extensions["realtime"].socketio.server.eio
        transports.ping_interval, transports.ping_timeout = 0.05, 0.2
        return transports

    def test_a_client_that_answers_is_pinged_again_and_again(self, transports, raw):
        first, second = raw(), raw()

        packets = [(first.receive_any(), second.receive_any()) for _ in range(3)]

        assert packets == [("2", "2")] * 3

    def test_a_client_that_does_not_answer_is_let_go(self, transports, raw):
        silent = raw()
        silent.send("40")

        assert silent.closed(answering=False)


def test_nothing_is_kept_of_sockets_that_have_gone(app, connect, new_player):
    realtime = app.extensions["realtime"]
    sockets = [connect(new_player(name)) for name in ("alice", "bob")] + [connect()]

    for socket in sockets:
        socket.close()
    wait_until(lambda: not realtime.connections and not realtime.manager.rooms)

    manager = realtime.manager
    assert (manager.pending_connect, manager.pending_disconnect, manager.callbacks) == ({}, {}, {})
