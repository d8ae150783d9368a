"""A JSON response as bytes, in the encodings that clients accept."""

from dataclasses import dataclass
from functools import lru_cache

from flask import Response, request
from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header, parse_etags

ENCODINGS_REMEMBERED = 256
"""Values of Accept-Encoding. To parse one takes 10 us, and browsers send few different ones."""


@dataclass(frozen=True)
class Representation:
    """The bytes, the same bytes compressed, and the ETag. Without an ETag there are no 304s."""

    identity: bytes
    gzipped: bytes | None = None
    etag: str | None = None

    def response(self) -> Response:
        """The response to the current request: 304, gzip or identity."""
        headers = []
        if self.gzipped is not None:
            headers.append(("Vary", "Accept-Encoding"))
        if self.etag is not None:
            # Weak, because it is the same in both encodings.
            headers += [("Cache-Control", "no-cache"), ("ETag", f'W/"{self.etag}"')]
            sent = request.environ.get("HTTP_IF_NONE_MATCH")
            if sent and parse_etags(sent).contains_weak(self.etag):
                return Response(status=304, headers=headers)
        body = self.identity
        if self.gzipped is not None and accepts_gzip(request.environ.get("HTTP_ACCEPT_ENCODING", "")):
            body = self.gzipped
            headers.append(("Content-Encoding", "gzip"))
        return Response(body, headers=headers, content_type="application/json")


@lru_cache(maxsize=ENCODINGS_REMEMBERED)
def accepts_gzip(accept_encoding: str) -> bool:
    """Whether a client that sends this header accepts gzip."""
    accepted: Accept = parse_accept_header(accept_encoding)
    return accepted["gzip"] > 0
