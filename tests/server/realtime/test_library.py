"""Undocumented behaviour of python-socketio and python-engineio on which the server depends.

When one of these fails after an upgrade, server/realtime/transport.py and server.py need another look.
"""

import inspect

import engineio.socket
import pytest
import socketio

from server.realtime.transport import Transport
from tests.harness.sockets import PollingTransport
from tests.harness.sockets import Transport as Client
from tests.server.realtime.conftest import on_shared_app
from tests.support.apps import ITEM

app, server = on_shared_app()


@pytest.fixture(scope="module")
def changes():
    """No proof is due during a test."""
    return {"UPGRADER_PROOF_DELAY": "600"}


@pytest.mark.parametrize("open_client", [Client, PollingTransport])
def test_the_connect_handler_configures_the_transport_that_the_library_serves(app, server, open_client):
    transports = app.extensions["realtime"].server.eio.sockets
    before = set(transports)

    client = open_client(server)

    (new,) = set(transports) - before
    assert type(transports[new]) is Transport
    client.close()


def test_the_replaced_methods_have_the_same_parameters():
    parameters = {
        "send": ["self", "pkt"],
        "receive": ["self", "pkt"],
        "close": ["self", "wait", "abort", "reason"],
        "poll": ["self"],
        "schedule_ping": ["self"],
        "handle_get_request": ["self", "environ", "start_response"],
    }
    replaced = [name for name in vars(engineio.socket.Socket) if callable(vars(Transport).get(name))]

    found = {name: getattr(engineio.socket.Socket, name) for name in replaced if not name.startswith("__")}
    assert {name: list(inspect.signature(method).parameters) for name, method in found.items()} == parameters
    disconnect = inspect.signature(socketio.Manager.basic_disconnect)
    assert list(disconnect.parameters) == ["self", "sid", "namespace", "kwargs"]


def test_the_acknowledgement_comes_between_the_result_and_the_state(connect, player):
    socket = connect(player)
    for _ in range(3):
        socket.next()

    socket.transport.send(f'427["upgrader:spin",{{"amount":1,"item":"{ITEM}"}}]')
    packets = [socket.transport.receive().split(",")[0] for _ in range(5)]

    assert packets[:2] == ['42["upgrader:pf"', '42["upgrader:spin"']
    assert packets[2].startswith("437[")
    assert packets[3:] == ['42["upgrader:commitment"', '42["balance"']
