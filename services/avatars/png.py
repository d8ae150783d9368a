"""PNG files, chunk by chunk, animated ones too. Source: PNG specification, third edition."""

import struct

from services.avatars.errors import DamagedImage
from services.avatars.layout import Layout

MAGIC = b"\x89PNG\r\n\x1a\n"

_AROUND = 12
"""Bytes of a chunk besides its content: length, name and checksum."""


def walk(data: bytes) -> Layout:
    """Raises DamagedImage, IndexError or struct.error."""
    at = len(MAGIC)
    length, name, width, height = struct.unpack_from(">I4sII", data, at)
    if name != b"IHDR":
        raise DamagedImage
    frames, promised, shown_first = 0, 0, False
    pixels_began = False
    while name != b"IEND":
        at += length + _AROUND
        length, name = struct.unpack_from(">I4s", data, at)
        if name == b"IHDR":
            raise DamagedImage
        if name == b"acTL":
            promised = struct.unpack_from(">I", data, at + 8)[0]
        elif name == b"fcTL":
            frames += 1
            shown_first |= not pixels_began
        elif name == b"IDAT":
            pixels_began = True
    end = at + length + _AROUND
    if end > len(data) or not pixels_began:
        raise DamagedImage
    if not promised:
        # Without acTL it is a still image, whatever else is in it.
        return Layout(width, height, 1, end)
    # The picture for programs that can't animate is a frame more to decode when it is not the first.
    return Layout(width, height, max(frames, promised) + (not shown_first), end)
