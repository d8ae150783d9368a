"""A player's socket: Socket.IO over a bare websocket. The test reads every event in order.

Unlike the real JavaScript client (tests/server/worker), it can violate the protocol.
"""

import itertools
import json
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import requests
import websocket

from services.shared import decimal_json
from tests.harness.waiting import within

TIMEOUT_SECONDS = 20
"""The longest silence. Below the 25 s between the server's pings, so that a missing event is noticed."""

WANTED_SECONDS = 60
"""The longest wait for one packet, although others come."""

PING, NOOP = "2", "6"
SEPARATOR = "\x1e"
ADDRESS = "/socket.io/?EIO=4&transport=websocket"
POLLING_ADDRESS = "/socket.io/?EIO=4&transport=polling"


class Refused(Exception):
    """The handshake was answered with ``connect_error``; ``str()`` is its message."""


class Closed(Exception):
    """The server ended the connection."""


class Transport:
    """An open Engine.IO connection that has sent no packet yet."""

    def __init__(self, url: str, *, origin: str | None = None, header: Sequence[str] = ()) -> None:
        self._websocket = websocket.create_connection(
            url.replace("http", "ws", 1) + ADDRESS,
            timeout=TIMEOUT_SECONDS,
            origin=origin,
            suppress_origin=origin is None,
            header=list(header),
            # A text frame is decoded anyway; the library's check in Python takes most of the time.
            skip_utf8_validation=True,
        )
        self.opened = self.receive()

    def send(self, packet: str) -> None:
        self._websocket.send(packet)

    def receive(self) -> str:
        """The next packet. Pings are answered and skipped. Raises Closed."""
        for _ in within(WANTED_SECONDS):
            packet = self.receive_any()
            if packet != PING:
                break
        return packet

    def receive_any(self, *, answering: bool = True) -> str:
        """The next packet. A ping is answered by default. Raises Closed."""
        try:
            packet = str(self._websocket.recv())
        except (websocket.WebSocketConnectionClosedException, ConnectionError):
            raise Closed from None
        if not packet or packet[0] == "1":
            raise Closed
        if packet == PING and answering:
            self.send("3")
        return packet

    def closed(self, *, answering: bool = True) -> bool:
        """Wait until the server closes it. Raises TimeoutError when it does not."""
        with suppress(Closed):
            for _ in within(WANTED_SECONDS):
                self.receive_any(answering=answering)
        return True

    def close(self) -> None:
        """Close the connection, as a closed browser tab does."""
        self._websocket.shutdown()


class PollingTransport(Transport):
    """A connection over HTTP long polling, on one TCP connection."""

    def __init__(self, url: str, *, header: Sequence[str] = ()) -> None:
        self._address = url + POLLING_ADDRESS
        self._http = requests.Session()
        self._http.headers.update(field.split(": ", 1) for field in header)
        self._packets: deque[str] = deque()
        self.opened = self.receive()
        self._address += f"&sid={json.loads(self.opened[1:])['sid']}"

    def send(self, packet: str) -> None:
        self._http.post(self._address, data=packet.encode(), timeout=TIMEOUT_SECONDS)

    def receive_any(self, *, answering: bool = True) -> str:
        while not self._packets:
            self._packets.extend(packet for packet in self._poll() if packet != NOOP)
        packet = self._packets.popleft()
        if packet[0] == "1":
            raise Closed
        if packet == PING and answering:
            self.send("3")
        return packet

    def close(self) -> None:
        self._http.close()

    def _poll(self) -> list[str]:
        try:
            answer = self._http.get(self._address, timeout=TIMEOUT_SECONDS)
        except requests.ConnectionError:
            raise Closed from None
        if answer.status_code != HTTPStatus.OK:
            raise Closed
        return answer.text.split(SEPARATOR)


class Socket:
    """A connected client. Raises Refused when the server refuses it."""

    def __init__(
        self,
        url: str,
        *,
        auth: Any = None,
        header: Sequence[str] = (),
        polling: bool = False,
    ) -> None:
        self.seen: list[tuple[str, Any]] = []
        self._unread: deque[tuple[str, Any]] = deque()
        self._ids = itertools.count()
        self.transport = (PollingTransport if polling else Transport)(url, header=header)
        try:
            self._join(auth)
        except (Refused, Closed):
            self.close()
            raise

    def _join(self, auth: Any) -> None:
        self.transport.send("40" + ("" if auth is None else decimal_json.dumps(auth)))
        while (answer := self.transport.receive()).startswith("42"):
            # A broadcast can arrive before the acceptance. The JavaScript client keeps it too.
            self._unread.append(self._event(answer))
        if answer.startswith("44"):
            raise Refused(decimal_json.loads(answer[2:])["message"])

    def next(self) -> tuple[str, Any]:
        """The next event of any name."""
        event = self._unread.popleft() if self._unread else self._event(self.transport.receive())
        self.seen.append(event)
        return event

    def expect(self, name: str) -> Any:
        """The payload of the next event of this name; others are skipped."""
        for _ in within(WANTED_SECONDS):
            event, payload = self.next()
            if event == name:
                break
        return payload

    def emit(self, event: str, *payload: Any) -> None:
        """Send an event without asking for an acknowledgement."""
        self.transport.send("42" + decimal_json.dumps([event, *payload]))

    def spin(self, *payload: Any) -> Any:
        """Send a spin. Returns the acknowledgement."""
        return self.call("upgrader:spin", *payload)

    def call(self, event: str, *payload: Any) -> Any:
        """Send an event. Returns the acknowledgement."""
        number = next(self._ids)
        self.transport.send(f"42{number}" + decimal_json.dumps([event, *payload]))
        acknowledgement = f"43{number}"
        for _ in within(WANTED_SECONDS):
            packet = self.transport.receive()
            if packet.startswith(acknowledgement):
                break
            self._unread.append(self._event(packet))
        return decimal_json.loads(packet.removeprefix(acknowledgement))[0]

    def close(self) -> None:
        self.transport.close()

    def _event(self, packet: str) -> tuple[str, Any]:
        assert packet.startswith("42"), packet
        body = packet[packet.index("[") :]
        name, *payload = decimal_json.loads(body)
        return name, payload[0] if payload else None
