"""Attacks on a running server, all at once and from one address.

    python -m tests.storms.attacks.attackers        (options as JSON on standard input; see ``main``)

Prints the number of times that each attack was begun, as JSON. It runs in its own process, so that it does
not slow down the players and the measurements.
"""

# ruff: noqa: E402  # the process is patched before anything else is imported
from gevent import monkey

monkey.patch_all()

import json
import random
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self

import gevent

BEGIN_SECONDS = 5.0
"""The attacks begin at random times within this, or within half of a shorter time of attacks."""

POLLING = "/socket.io/?EIO=4&transport=polling"
WEBSOCKET = "/socket.io/?EIO=4&transport=websocket"
BAD_PACKETS = ("45-", '4"x', "bAAAA", "42", "9", "4" + "[" * 1000, "")
TEXT, BINARY = 1, 2


class Wire(socket.socket):
    """An attacker's connection. Closing it sends a reset, so that its port is free again at once."""

    hold_seconds = 60.0
    """How long an attacker waits for the server to close a connection."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def say(self, method: str, path: str, *fields: str, body: str | None = None) -> None:
        lines = [f"{method} {path} HTTP/1.1", "Host: a", *fields]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        self.sendall("\r\n".join([*lines, "", body or ""]).encode())

    def ask(self, method: str, path: str, *fields: str, body: str | None = None) -> str:
        """Send a request; returns the answer's body. Raises OSError when the server closes the connection."""
        self.say(method, path, *fields, body=body)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, rest = received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        while len(rest) < length:
            rest += self._more()
        return rest.decode(errors="replace")

    def _more(self) -> bytes:
        data = self.recv(65_536)
        if not data:
            raise ConnectionError("closed")
        return data

    def upgrade(self, path: str = WEBSOCKET, *fields: str, key: str = "dGhlIHNhbXBsZSBub25jZQ==") -> None:
        """Open a websocket. Raises ConnectionError when it is refused."""
        handshake = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
        self.say("GET", path, *handshake, f"Sec-WebSocket-Key: {key}", *fields)
        if not self.recv(65_536).startswith(b"HTTP/1.1 101"):
            raise ConnectionError("refused")

    def frame(self, payload: str, *, kind: int = TEXT, announced: int | None = None) -> None:
        """Send a frame with a mask of zeros; ``announced`` is the length in its header."""
        length = len(payload) if announced is None else announced
        size = bytes([0x80 | length]) if length < 126 else b"\xff" + struct.pack("!Q", length)
        self.sendall(bytes([0x80 | kind]) + size + bytes(4) + payload.encode())

    def hold(self) -> None:
        """Send nothing more until the server closes the connection."""
        self.settimeout(self.hold_seconds)
        while self.recv(65_536):
            pass

    def session(self) -> str:
        """Begin a polling session; returns its path."""
        return f"{POLLING}&sid={json.loads(self.ask('GET', POLLING)[1:])['sid']}"


@dataclass
class Attacker:
    """All attacks from one address, with a player's token for some of them."""

    host: str
    port: int
    source: str
    token: str
    made: Counter[str] = field(default_factory=Counter)

    def connect(self) -> Wire:
        wire = Wire()
        wire.settimeout(20)
        wire.bind((self.source, 0))
        wire.connect((self.host, self.port))
        return wire

    def attack_until(self, end: float, *, scale: int, only: str) -> None:
        """Make the attacks whose names contain ``only``, ``scale`` of each at a time or as CREWS says."""
        begin_seconds = min(BEGIN_SECONDS, (end - time.monotonic()) / 2)
        names = [name.removeprefix("attack_by_") for name in vars(Attacker) if name.startswith("attack_by_")]
        attacks = [name for each in names if only in (name := each.replace("_", " "))]
        crews = [
            gevent.spawn_later(random.uniform(0, begin_seconds), self._repeat, name, end)
            for name in attacks
            for _ in range(CREWS.get(name, scale))
        ]
        gevent.joinall(crews, timeout=max(end - time.monotonic(), 0))
        gevent.killall(crews)

    def attack_once(self, crews: Mapping[str, int]) -> None:
        """Make so many of each attack at the same time. Prints a line when all are connected."""
        wires = [(self._attack(name), self.connect()) for name, count in crews.items() for _ in range(count)]
        print("true", flush=True)
        gevent.joinall([gevent.spawn(self._try, *each) for each in wires])

    @staticmethod
    def _try(attack: Callable[[Wire], None], wire: Wire) -> None:
        # Closed connections and refusals are expected.
        with suppress(OSError, ValueError, LookupError), wire:
            attack(wire)

    def _attack(self, name: str) -> Callable[[Wire], None]:
        attack: Callable[[Wire], None] = getattr(self, "attack_by_" + name.replace(" ", "_"))
        return attack

    def _repeat(self, name: str, end: float) -> None:
        while time.monotonic() < end:
            self.made[name] += 1
            with suppress(OSError):
                self._try(self._attack(name), self.connect())
            gevent.sleep(random.uniform(0.5, 1.5))

    def attack_by_abandoned_polling_handshakes(self, wire: Wire) -> None:
        for _ in range(20):
            wire.session()

    def attack_by_websocket_handshakes(self, wire: Wire) -> None:
        wire.upgrade()
        wire.hold()

    def attack_by_refused_packets(self, wire: Wire) -> None:
        session = wire.session()
        for packet in BAD_PACKETS:
            wire.ask("POST", session, body=packet)

    def attack_by_refused_packets_nobody_waits_for(self, wire: Wire) -> None:
        wire.say("POST", wire.session(), body=random.choice(BAD_PACKETS))

    def attack_by_joining_and_never_polling(self, wire: Wire) -> None:
        wire.ask("POST", wire.session(), body="40")

    def attack_by_leaving_and_staying(self, wire: Wire) -> None:
        wire.upgrade()
        for packet in ("40", "41", "40", "41"):
            wire.frame(packet)
        wire.hold()

    def attack_by_a_players_many_sockets(self, wire: Wire) -> None:
        wire.upgrade()
        wire.frame("40" + json.dumps({"token": self.token}))
        wire.hold()

    def attack_by_refused_events(self, wire: Wire) -> None:
        wire.upgrade()
        wire.frame("40")
        while True:
            for number in range(50):
                wire.frame(f'42{number}["upgrader:spin",{{"amount":1,"item":"any"}}]')
            gevent.sleep(0.2)

    def attack_by_refused_events_over_polling(self, wire: Wire) -> None:
        session = wire.session()
        wire.ask("POST", session, body="40")
        wire.ask("POST", session, body="\x1e".join(['42["upgrader:spin",{}]'] * 16))

    def attack_by_unread_acknowledgements(self, wire: Wire) -> None:
        wire.upgrade()
        wire.frame("40")
        for number in range(1_000):
            wire.frame(f'42{number}["upgrader:spin",{{}}]')
        gevent.sleep(wire.hold_seconds)

    def attack_by_half_upgrades(self, wire: Wire) -> None:
        session = wire.session()
        with self.connect() as other:
            other.upgrade(session.replace("polling", "websocket"))
            if random.random() < 0.5:
                other.frame("2probe")
            other.hold()

    def attack_by_half_packets(self, wire: Wire) -> None:
        wire.say("POST", wire.session(), "Content-Length: 60000", body=None)
        wire.sendall(b"4")
        wire.hold()

    def attack_by_oversized_frames(self, wire: Wire) -> None:
        wire.upgrade()
        wire.frame("4", announced=2**30)
        wire.hold()

    def attack_by_pings_instead_of_messages(self, wire: Wire) -> None:
        wire.upgrade()
        while True:
            wire.frame("", kind=9)
            gevent.sleep(5)

    def attack_by_malformed_handshakes(self, wire: Wire) -> None:
        wire.upgrade(key="a")

    def attack_by_foreign_handshakes(self, wire: Wire) -> None:
        wire.upgrade(WEBSOCKET, "Origin: https://evil.example.com")

    def attack_by_metrics(self, wire: Wire) -> None:
        for _ in range(50):
            wire.ask("GET", "/metrics")

    def attack_by_preflights(self, wire: Wire) -> None:
        for _ in range(50):
            wire.ask("OPTIONS", "/profile/avatar", "Origin: https://a", "Access-Control-Request-Method: POST")

    def attack_by_fairness_searches(self, wire: Wire) -> None:
        for number in range(20):
            wire.ask("GET", f"/stats/fairness?search=no-such-{number}", f"Authorization: Bearer {self.token}")

    def attack_by_silence(self, wire: Wire) -> None:
        wire.hold()

    def attack_by_slow_heads(self, wire: Wire) -> None:
        wire.sendall(b"GET /irl HTTP/1.1\r\nHost: a\r\nX-Slow: ")
        self._drip(wire)

    def attack_by_slow_bodies(self, wire: Wire) -> None:
        wire.say("POST", "/affiliate/use-code", "Content-Length: 60000")
        self._drip(wire)

    def attack_by_slow_chunks(self, wire: Wire) -> None:
        wire.say("POST", "/affiliate/use-code", "Transfer-Encoding: chunked")
        wire.sendall(b"ffff\r\n")
        self._drip(wire)

    def attack_by_malformed_chunks(self, wire: Wire) -> None:
        wire.say("POST", "/affiliate/use-code", "Transfer-Encoding: chunked")
        wire.sendall(random.choice([b"2;\n0\r\n\r\n", b"zz\r\n", b"0\r\nX: a\n\n", b"2\r\n{}\n"]))
        wire.sendall(b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n")
        wire.hold()

    def attack_by_large_bodies(self, wire: Wire) -> None:
        wire.ask("GET", "/auth/me", body="a" * 100_000)

    def attack_by_unread_answers(self, wire: Wire) -> None:
        wire.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n" * 100)
        gevent.sleep(wire.hold_seconds)

    @staticmethod
    def _drip(wire: Wire) -> None:
        while True:
            wire.sendall(b"a")
            gevent.sleep(1)


CREWS = {
    "metrics": 2,
    "preflights": 2,
    "fairness searches": 2,
    "large bodies": 2,
    "abandoned polling handshakes": 3,
    "refused events": 5,
    "silence": 100,
    "slow heads": 100,
    "slow bodies": 100,
    "slow chunks": 100,
}
"""How many of an attack run at a time, where it is not ``scale``."""


def main() -> None:
    """Standard input has the fields of an ``attacker``, ``seconds``, and what to do.

    That is ``crews``, the number of each attack to make once, or ``scale`` and ``only`` for all of them.
    """
    options = json.loads(sys.stdin.readline())
    attacker, seconds = Attacker(**options["attacker"]), options["seconds"]
    if "crews" in options:
        Wire.hold_seconds = seconds
        attacker.attack_once(options["crews"])
        return
    attacker.attack_until(time.monotonic() + seconds, scale=options["scale"], only=options["only"])
    print(json.dumps(attacker.made))


if __name__ == "__main__":
    main()
