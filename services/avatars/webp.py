"""WebP files, chunk by chunk, animated ones too. Source: RFC 9649."""

import struct

from services.avatars.errors import DamagedImage
from services.avatars.layout import Layout

_HEADER_BYTES = 12
_LOSSY_START = b"\x9d\x01\x2a"
_LOSSLESS_START = 0x2F


def walk(data: bytes) -> Layout:
    """Raises DamagedImage, IndexError or struct.error."""
    (inner,) = struct.unpack_from("<I", data, 4)
    end = inner + 8
    if end > len(data):
        raise DamagedImage
    sizes: list[tuple[int, int]] = []
    frames = 0
    at = _HEADER_BYTES
    while at < end:
        name, length = struct.unpack_from("<4sI", data, at)
        content = at + 8
        if content + length > end:
            raise DamagedImage
        if name == b"ANMF":
            frames += 1
        elif name in _SIZES:
            sizes.append(_SIZES[name](data, content))
        at = content + length + length % 2
    if not sizes:
        raise DamagedImage
    # The canvas is the first; a lossy or lossless image of its own must be no larger.
    width, height = sizes[0]
    if any(w > width or h > height for w, h in sizes):
        raise DamagedImage
    return Layout(width, height, max(frames, 1), end)


def _canvas(data: bytes, at: int) -> tuple[int, int]:
    width = int.from_bytes(data[at + 4 : at + 7], "little") + 1
    height = int.from_bytes(data[at + 7 : at + 10], "little") + 1
    return width, height


def _lossy(data: bytes, at: int) -> tuple[int, int]:
    if data[at + 3 : at + 6] != _LOSSY_START:
        raise DamagedImage
    width, height = struct.unpack_from("<HH", data, at + 6)
    return width & 0x3FFF, height & 0x3FFF


def _lossless(data: bytes, at: int) -> tuple[int, int]:
    if data[at] != _LOSSLESS_START:
        raise DamagedImage
    (bits,) = struct.unpack_from("<I", data, at + 1)
    return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1


_SIZES = {b"VP8X": _canvas, b"VP8 ": _lossy, b"VP8L": _lossless}
