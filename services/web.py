"""Calls to other people's servers, each within bounds: time to connect, time in all, and bytes."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError

CONNECT_SECONDS = 3.0
CHUNK_BYTES = 64 * 1024


class TooLarge(requests.RequestException):
    """An answer is larger than what anybody sends who is what we take them for."""


class _Exchange:
    """One question and its answer. When their time is up the connection is cut off, whoever is reading it."""

    def __init__(self) -> None:
        self.socket: socket.socket | None = None
        self.own: socket.socket | None = None
        self.is_over_time = False

    def watch(self, connection: socket.socket) -> None:
        self.socket = connection
        # Over time while it was being connected: nothing has been cut then.
        if self.is_over_time:
            self.cut()

    def watch_own(self, connection: socket.socket) -> None:
        """The same for a handle that is closed with the exchange."""
        self.close()
        self.own = connection
        self.watch(connection)

    def close(self) -> None:
        if self.own is not None:
            self.own.close()

    def cut(self) -> None:
        self.is_over_time = True
        if self.socket is not None:
            with contextlib.suppress(OSError):
                self.socket.shutdown(socket.SHUT_RDWR)


_current: ContextVar[_Exchange | None] = ContextVar("exchange", default=None)


class _Telling:
    """A connection that tells the exchange under way which socket the answer comes from."""

    sock: Any

    def _new_conn(self) -> Any:
        made = super()._new_conn()  # type: ignore[misc]
        exchange = _current.get()
        if exchange is not None:
            # TLS takes the socket itself away, and its handshake may be sent in bytes as well.
            exchange.watch_own(made.dup())
        return made

    def getresponse(self) -> Any:
        exchange = _current.get()
        # A connection that was kept from an earlier question.
        if exchange is not None and exchange.own is None:
            exchange.watch(self.sock)
        return super().getresponse()  # type: ignore[misc]


class _Connection(_Telling, HTTPConnection):
    pass


class _SecureConnection(_Telling, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class BoundedAdapter(HTTPAdapter):
    """Reads each answer whole, within ``seconds`` from asking and up to ``most_bytes`` after decompression.

    The library's own time-outs begin anew with every packet, so a server that sends a byte a second, of its
    headers or of its body, would hold a call for as long as it likes.
    """

    def __init__(self, *, seconds: float, most_bytes: int) -> None:
        super().__init__()
        self._seconds = seconds
        self._most_bytes = most_bytes

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **kwargs)
        manager.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}
        return manager

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,  # noqa: ARG002, FBT001, FBT002  # the library's signature
        timeout: Any = None,  # noqa: ARG002  # ours counts, whatever the caller says
        verify: Any = True,  # noqa: FBT002
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> requests.Response:
        """Raises requests.RequestException for whatever goes wrong on the way."""
        with self._exchange(request) as exchange:
            deadline = time.monotonic() + self._seconds
            response = super().send(
                request,
                stream=True,
                timeout=(min(CONNECT_SECONDS, self._seconds), self._seconds),
                verify=verify,
                cert=cert,
                proxies=dict(proxies) if proxies else None,
            )
            try:
                content = self._read(response.raw, deadline)
            finally:
                response.raw.close()
            # What was cut off looks like an answer that ended, in the headers as in the body.
            if exchange.is_over_time:
                raise requests.Timeout("the answer took too long", request=request)
        response._content = content  # noqa: SLF001  # where the library keeps it
        response._content_consumed = True  # noqa: SLF001
        return response

    @contextlib.contextmanager
    def _exchange(self, request: requests.PreparedRequest) -> Iterator[_Exchange]:
        exchange = _Exchange()
        timer = threading.Timer(self._seconds, exchange.cut)
        timer.daemon = True
        timer.start()
        before = _current.set(exchange)
        try:
            yield exchange
        except (HTTPError, OSError, ValueError) as error:
            if exchange.is_over_time:
                raise requests.Timeout("the answer took too long", request=request) from error
            if isinstance(error, requests.RequestException):
                raise
            raise requests.ConnectionError(error, request=request) from error
        finally:
            _current.reset(before)
            timer.cancel()
            exchange.close()

    def _read(self, raw: urllib3.HTTPResponse, deadline: float) -> bytes:
        parts = bytearray()
        while part := raw.read1(CHUNK_BYTES, decode_content=True):
            parts += part
            if len(parts) > self._most_bytes:
                raise TooLarge("the answer is too large")
            if time.monotonic() > deadline:
                raise requests.Timeout("the answer took too long")
        return bytes(parts)


def bounded(session: requests.Session, *, seconds: float, most_bytes: int, redirects: int = 0) -> None:
    """Hold every call of a session within these bounds; a redirect too many is an error."""
    adapter = BoundedAdapter(seconds=seconds, most_bytes=most_bytes)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    session.max_redirects = redirects
