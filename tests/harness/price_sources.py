"""A price source on a real port, with chosen answers and a list of its requests."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from werkzeug import Request, Response

from tests.harness.servers import hang_up, serving

Answer = Callable[[Request], Response]


class PriceServer:
    """Answers every request with ``answer``."""

    def __init__(self) -> None:
        self.url = ""
        self.answer = text("{}")
        self.requests: list[Request] = []
        self.ended = threading.Event()
        """Set when the test is over, to end slow answers."""

    def handle(self, request: Request) -> Response:
        self.requests.append(request)
        return self.answer(request)


@contextmanager
def price_server() -> Iterator[PriceServer]:
    """Serve until the block ends."""
    served = PriceServer()
    with serving(Request.application(served.handle)) as url:
        served.url = f"{url}/prices"
        try:
            yield served
        finally:
            served.ended.set()


def text(body: str | bytes, *, status: int = 200, **headers: str) -> Answer:
    """An answer with this text. Keyword arguments are headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: Response(body, status, named)


def document(prices: Any, *, currency: Any = "USD") -> str:
    """A feed's document of these prices."""
    return json.dumps({"metadata": {"currency": currency}, "prices": prices})


def feed(prices: Any, **headers: str) -> Answer:
    """A valid answer of a feed."""
    return text(document(prices), **headers)


def market(price: str | None, *, median: str | None = None) -> Answer:
    """A valid answer of a market."""
    return text(json.dumps({"success": True, "lowest_price": price, "median_price": median}))


def cut_off(_: Request) -> Response:
    """Announces a whole document and sends half of it."""
    body = document({"One": 100})
    # A list, whose length werkzeug does not set.
    return Response([body[: len(body) // 2]], headers={"Content-Length": str(len(body))})


def dripping(server: PriceServer, *, headers_too: bool = False) -> Answer:
    """Sends single bytes slowly until the test ends."""

    def spaces() -> Iterator[bytes]:
        while not server.ended.wait(0.05):
            yield b" "

    def answer(request: Request) -> Response:
        if headers_too:
            for space in spaces():
                request.environ["werkzeug.socket"].sendall(space)
            hang_up(request)
        return Response(spaces())

    return answer
