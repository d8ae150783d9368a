"""HTTP requests to other servers, bounded in time and in bytes."""

import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread
from typing import Any, TypeVar

import gevent
import requests
from gevent import monkey
from requests.adapters import HTTPAdapter
from urllib3 import PoolManager
from urllib3.exceptions import HTTPError, ReadTimeoutError

CONNECT_SECONDS = 3.0
CHUNK_BYTES = 64 * 1024
TOO_SLOW = "the response took too long"

Session = TypeVar("Session", bound=requests.Session)


class ResponseTooLarge(requests.RequestException):
    """The response has more bytes than the caller accepts."""


@contextmanager
def bounded(
    session: Session,
    *,
    seconds: float,
    max_bytes: int,
    redirects: int = 0,
    connections: PoolManager | None = None,
) -> Iterator[Session]:
    """A session for one call, closed at the end of the block. ``connections`` stay open for later calls.

    ``seconds`` limits the whole call, from the name lookup to the end of the body, redirects included.
    ``max_bytes`` limits the body after decompression. Raises requests.Timeout, ResponseTooLarge, and other
    kinds of requests.RequestException, whose texts can contain the whole URL.
    """
    adapter = _BoundedAdapter(seconds=seconds, max_bytes=max_bytes, connections=connections)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    session.max_redirects = redirects
    # Not a subclass of OSError, which urllib3 would take for a broken connection.
    timeout = gevent.Timeout(seconds if monkey.is_module_patched("socket") else None)
    try:
        with session, timeout:
            yield session
    except gevent.Timeout as expired:
        if expired is not timeout:
            raise
        raise requests.Timeout(TOO_SLOW) from None


class _BoundedAdapter(HTTPAdapter):
    """Reads each response whole, within the bounds."""

    def __init__(self, *, seconds: float, max_bytes: int, connections: PoolManager | None) -> None:
        super().__init__()
        self._own = self.poolmanager
        self.poolmanager = connections or self._own
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._max_bytes = max_bytes

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        kwargs |= {"stream": True, "timeout": (min(CONNECT_SECONDS, self._seconds), self._seconds)}
        if monkey.is_module_patched("socket"):
            return self._send(request, *args, **kwargs)
        # A blocked thread can't be interrupted, so each call has its own, which is abandoned at the deadline.
        response: Future[requests.Response] = Future()
        Thread(target=self._send_to, args=[response, request, *args], kwargs=kwargs, daemon=True).start()
        try:
            return response.result(self._deadline - time.monotonic())
        except TimeoutError:
            raise requests.Timeout(TOO_SLOW) from None

    def close(self) -> None:
        self._own.clear()

    def _send_to(self, response: Future[requests.Response], *args: Any, **kwargs: Any) -> None:
        try:
            response.set_result(self._send(*args, **kwargs))
        except Exception as error:  # noqa: BLE001  # raised again in the caller's thread
            response.set_exception(error)

    def _send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        try:
            response = super().send(request, *args, **kwargs)
            try:
                content = self._read(response)
            finally:
                response.raw.close()
        except requests.RequestException:
            raise
        except ReadTimeoutError:
            raise requests.Timeout(TOO_SLOW) from None
        except (HTTPError, OSError, ValueError) as error:
            raise requests.ConnectionError(error, request=request) from error
        response._content = content  # noqa: SLF001  # where requests keeps it
        response._content_consumed = True  # noqa: SLF001
        return response

    def _read(self, response: requests.Response) -> bytes:
        content = bytearray()
        while chunk := response.raw.read1(CHUNK_BYTES, decode_content=True):
            content += chunk
            if len(content) > self._max_bytes:
                raise ResponseTooLarge("the response is too large")
            if time.monotonic() > self._deadline:
                raise requests.Timeout(TOO_SLOW)
        return bytes(content)
