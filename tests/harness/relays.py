"""A drand network of the tests, and relays of it that can be late, away, or lie."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from py_arkworks_bls12381 import G1Point, G2Point, Scalar
from werkzeug import Request
from werkzeug.wrappers import Response

from services.beacon.chain import DOMAIN, Chain, message_of
from tests.harness.servers import serving

HOLD_SECONDS = 20.0


class Network:
    """A network of one key, which can sign any round at any time."""

    def __init__(self, *, genesis: int = 1_700_000_000, period: int = 3, secret: int = 7) -> None:
        self._secret = Scalar(secret)
        self.chain = Chain(
            public_key=(G2Point() * self._secret).to_compressed_bytes().hex(),
            group_hash="ab" * 32,
            genesis=genesis,
            period=period,
            beacon_id="tests",
        )

    def sign(self, round_: int) -> str:
        """The signature of a round's genuine beacon."""
        return (G1Point.hash_to_curve(message_of(round_), DOMAIN) * self._secret).to_compressed_bytes().hex()


class FakeRelay:
    """One relay. It has the rounds up to ``newest``, and as the real ones it holds back the next one."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.newest = 0
        self.url = ""
        self.is_holding = False
        """Whether a question about the next round is answered when it is there."""
        self.answer: Callable[[int], Any] | None = None
        """Makes another answer of the round that was asked for, 0 for the newest: a document, or bytes, or a
        response of werkzeug."""
        self.requests: list[str] = []
        """What was asked for: numbers of rounds, ``latest`` and ``info``."""
        self._changed = threading.Condition()

    def publish(self, round_: int) -> None:
        """Have all rounds up to this one."""
        with self._changed:
            self.newest = round_
            self._changed.notify_all()

    def close(self) -> None:
        """Answer what is held back."""
        self.is_holding = False
        with self._changed:
            self._changed.notify_all()

    @Request.application
    def application(self, request: Request) -> Response:
        name = request.path.rpartition("/")[2]
        self.requests.append(name)
        if name == "info":
            return _response(self.network.chain.info)
        round_ = 0 if name == "latest" else int(name)
        if self.answer:
            return _response(self.answer(round_))
        return self._honest(round_)

    def _honest(self, round_: int) -> Response:
        with self._changed:
            if self.is_holding and round_ == self.newest + 1:
                self._changed.wait_for(lambda: round_ <= self.newest or not self.is_holding, HOLD_SECONDS)
        round_ = round_ or self.newest
        if not 0 < round_ <= self.newest:
            return Response("too early", 425)
        return _response({"round": round_, "signature": self.network.sign(round_)})


def _response(answer: Any) -> Response:
    if isinstance(answer, Response):
        return answer
    return Response(answer if isinstance(answer, bytes) else json.dumps(answer))


@contextmanager
def fake_relay(network: Network) -> Iterator[FakeRelay]:
    """A relay of this network on a real port."""
    relay = FakeRelay(network)
    with serving(relay.application) as relay.url:
        try:
            yield relay
        finally:
            relay.close()
