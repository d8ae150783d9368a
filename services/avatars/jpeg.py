"""JPEG files, segment by segment. Source: ITU-T T.81, annex B."""

import re
import struct

from services.avatars.errors import DamagedImage
from services.avatars.layout import Layout

MAGIC = b"\xff\xd8\xff"

MAX_SCANS = 40
"""Each goes over all pixels of a progressive image, however few bytes it has. Encoders make about ten."""

MAX_SEGMENTS = 1_000
"""The decoder collects metadata anew with every segment of it; two megabytes of tiny ones take seconds."""

MAX_IMAGES = 8

_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
_WITHOUT_LENGTH = frozenset((0x01, *range(0xD0, 0xD8)))
# Baseline, extended and progressive, in Huffman coding; the others are hardly ever seen and dear to decode.
_FRAMES = frozenset((0xC0, 0xC1, 0xC2))
_OTHER_FRAMES = frozenset(range(0xC3, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Within a scan 0xFF is followed by 0 or a restart marker; anything else ends it.
_END_OF_SCAN = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


def walk(data: bytes) -> Layout:
    """Of several images that follow each other the first counts: cameras append previews and gain maps.

    Raises DamagedImage, IndexError or struct.error.
    """
    layout = _walk_image(data, 0)
    end = layout.end
    for _ in range(MAX_IMAGES):
        following = _after_zeros(data, end)
        if data[following : following + len(MAGIC)] != MAGIC:
            break
        end = _walk_image(data, following).end
    return Layout(layout.width, layout.height, 1, end)


def _walk_image(data: bytes, start: int) -> Layout:
    at = start + 2
    size: tuple[int, int] | None = None
    scans, segments = 0, 0
    while (marker := _marker(data, at)) != _END:
        at = _after_fill(data, at) + 1
        if marker in _WITHOUT_LENGTH:
            continue
        if marker == _START or marker in _OTHER_FRAMES:
            raise DamagedImage
        (length,) = struct.unpack_from(">H", data, at)
        if marker in _FRAMES:
            if size is not None:
                raise DamagedImage
            height, width = struct.unpack_from(">HH", data, at + 3)
            size = width, height
        at += length
        segments += 1
        if marker == _SCAN:
            scans += 1
            at = _end_of_scan(data, at)
    if size is None or not 1 <= scans <= MAX_SCANS or segments > MAX_SEGMENTS:
        raise DamagedImage
    return Layout(*size, frames=1, end=_after_fill(data, at) + 1)


def _marker(data: bytes, at: int) -> int:
    if data[at] != 0xFF:  # noqa: PLR2004  # what every marker begins with
        raise DamagedImage
    return data[_after_fill(data, at)]


def _after_fill(data: bytes, at: int) -> int:
    """Where the marker's own byte is: any number of 0xFF may come before it."""
    while data[at] == 0xFF:  # noqa: PLR2004
        at += 1
    return at


def _end_of_scan(data: bytes, at: int) -> int:
    found = _END_OF_SCAN.search(data, at)
    if found is None:
        raise DamagedImage
    return found.start()


def _after_zeros(data: bytes, at: int) -> int:
    while at < len(data) and not data[at]:
        at += 1
    return at
