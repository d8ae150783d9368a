"""Calls to other people's servers, each within bounds: time to connect, time in all, and bytes."""

import time
from collections.abc import Mapping
from typing import Any

import requests
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

CONNECT_SECONDS = 3.0
CHUNK_BYTES = 64 * 1024


class TooLarge(requests.RequestException):
    """An answer is larger than what anybody sends who is what we take them for."""


class BoundedAdapter(HTTPAdapter):
    """Reads each answer whole, within ``seconds`` from asking and up to ``most_bytes`` after decompression.

    The library's own time-outs begin anew with every packet, so a server that sends a byte a second would
    hold a call for as long as it likes.
    """

    def __init__(self, *, seconds: float, most_bytes: int) -> None:
        super().__init__()
        self._seconds = seconds
        self._most_bytes = most_bytes

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
            response._content = self._read(response.raw, deadline)  # noqa: SLF001  # where the library keeps it
        except requests.RequestException:
            raise
        except (HTTPError, OSError) as error:
            raise requests.ConnectionError(error, request=request) from error
        finally:
            response.raw.close()
        response._content_consumed = True  # noqa: SLF001
        return response

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
