"""GIF files, block by block. Source: GIF89a specification."""

import struct

from services.avatars.errors import MAX_FRAMES, DamagedImage, TooManyFrames
from services.avatars.layout import Layout

MAGICS = (b"GIF87a", b"GIF89a")

_EXTENSION, _IMAGE, _TRAILER = 0x21, 0x2C, 0x3B
_HEADER_BYTES = 13


def walk(data: bytes) -> Layout:
    """Raises DamagedImage, TooManyFrames (and reads no further), IndexError or struct.error."""
    width, height, flags = struct.unpack_from("<HHB", data, 6)
    at = _HEADER_BYTES + _palette_bytes(flags)
    frames = 0
    while (kind := data[at]) != _TRAILER:
        if kind == _EXTENSION:
            at = _after_sub_blocks(data, at + 2)
        elif kind == _IMAGE:
            left, top, frame_width, frame_height, flags = struct.unpack_from("<HHHHB", data, at + 1)
            # A decoder makes its canvas larger for a frame that leaves the declared one.
            width, height = max(width, left + frame_width), max(height, top + frame_height)
            frames += 1
            if frames > MAX_FRAMES:
                raise TooManyFrames
            # The descriptor is followed by a palette and one byte of code size.
            at = _after_sub_blocks(data, at + 11 + _palette_bytes(flags))
        else:
            raise DamagedImage
    return Layout(width, height, frames, end=at + 1)


def _palette_bytes(flags: int) -> int:
    return 3 << ((flags & 0x07) + 1) if flags & 0x80 else 0


def _after_sub_blocks(data: bytes, at: int) -> int:
    while size := data[at]:
        at += size + 1
    return at + 1
