"""What one transport may do: say nothing for ten seconds, send 64 KiB, come from an allowed origin."""

import json
from contextlib import ExitStack

import pytest
import websocket

from blueprints.realtime import server as realtime_server
from tests.support.sockets import Transport


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
