"""A price source on a real port, with chosen answers and a list of its requests."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class ReceivedRequest:
    """A received request."""

    query: dict[str, str]
    headers: dict[str, str]


Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class PriceServer:
    """Answers every request with ``answer``."""

    url: str
    answer: Answer
    requests: list[ReceivedRequest] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)
    """Set when the test is over, to end slow answers."""


@contextmanager
def price_server() -> Iterator[PriceServer]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            served.requests.append(ReceivedRequest(query, dict(self.headers)))
            try:
                served.answer(self)
            except OSError:
                # The client has closed the connection.
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = PriceServer(f"http://127.0.0.1:{http.server_port}/prices", text("{}"))
    thread = threading.Thread(target=http.serve_forever, args=[0.02], daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.ended.set()
        http.shutdown()
        thread.join(10)
        http.server_close()


def text(body: str | bytes, *, status: int = 200, **headers: str) -> Answer:
    """An answer with this text. Keyword arguments are headers."""
    content = body.encode() if isinstance(body, str) else body

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in ({"Content-Length": str(len(content))} | headers).items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def document(prices: Any, *, currency: Any = "USD") -> str:
    """A feed's document of these prices."""
    return json.dumps({"metadata": {"currency": currency}, "prices": prices})


def feed(prices: Any, **headers: str) -> Answer:
    """A valid answer of a feed."""
    return text(document(prices), **headers)


def market(price: str | None, *, median: str | None = None) -> Answer:
    """A valid answer of a market."""
    return text(json.dumps({"success": True, "lowest_price": price, "median_price": median}))


def hung_up(handler: BaseHTTPRequestHandler) -> None:
    """Closes the connection without an answer."""
    handler.close_connection = True


def cut_off(handler: BaseHTTPRequestHandler) -> None:
    """Announces a whole document and sends half of it."""
    body = document({"One": 100}).encode()
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def dripping(server: PriceServer, *, headers_too: bool = False) -> Answer:
    """Sends single bytes slowly until the test ends."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if not headers_too:
            handler.send_response(200)
            handler.end_headers()
        while not server.ended.wait(0.05):
            handler.wfile.write(b" ")

    return answer
