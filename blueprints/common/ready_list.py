"""A long list as ready bytes: dumped, tagged and compressed once, then sent as it is.

Dumping the whole catalogue takes over a second. It is done in slices with a pause after each, so that
nobody else's request or spin waits longer than for one slice.
"""

import hashlib
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import orjson

from blueprints.common.ready_answer import ReadyAnswer

ROWS_A_SLICE = 250
GZIP_WINDOW = 31
"""zlib's number for a 32 KiB window in a gzip wrapper."""


def build_ready_list(
    dump: Callable[[Sequence[Any]], list[Any]],
    rows: Sequence[Any],
    *,
    pause: Callable[[], Any],
    rows_a_slice: int = ROWS_A_SLICE,
) -> ReadyAnswer:
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
    return ReadyAnswer(b"".join(parts), gzipped=b"".join(compressed), tag=digest.hexdigest()[:32])
