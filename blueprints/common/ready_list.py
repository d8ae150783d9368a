"""A long list as ready bytes: dumped, tagged and compressed once, then sent as it is.

Dumping the whole catalogue takes over a second. It is done in slices with a pause after each, so that
nobody else's request or spin waits longer than for one slice.
"""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from flask import Response, request

ROWS_A_SLICE = 250
GZIP_WINDOW = 31
"""zlib's number for a 32 KiB window in a gzip wrapper."""


@dataclass(frozen=True)
class ReadyList:
    """One JSON array in the two codings that are served, and its tag."""

    identity: bytes
    gzipped: bytes
    etag: str

    def response(self) -> Response:
        """The answer to the current request: 304, compressed, or plain."""
        compress = request.accept_encodings["gzip"] > 0
        response = Response(self.gzipped if compress else self.identity, mimetype="application/json")
        if compress:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = "no-cache"
        # Weak, because it stands for the same list in either coding.
        response.set_etag(self.etag, weak=True)
        response.make_conditional(request)
        return response


def build_ready_list(
    dump: Callable[[Sequence[Any]], list[Any]],
    rows: Sequence[Any],
    *,
    pause: Callable[[], Any],
    rows_a_slice: int = ROWS_A_SLICE,
) -> ReadyList:
    """Dump rows as JSON values. ``pause`` lets others run; it is called after every slice."""
    parts = []
    compressor = zlib.compressobj(wbits=GZIP_WINDOW)
    compressed = []
    digest = hashlib.sha256()
    for start in range(0, max(len(rows), 1), rows_a_slice):
        inner = orjson.dumps(dump(rows[start : start + rows_a_slice]))[1:-1]
        part = (b"," if start else b"[") + inner
        parts.append(part)
        compressed.append(compressor.compress(part))
        digest.update(part)
        pause()
    parts.append(b"]")
    compressed += [compressor.compress(b"]"), compressor.flush()]
    return ReadyList(b"".join(parts), b"".join(compressed), digest.hexdigest()[:32])
