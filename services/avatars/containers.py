"""What a file says it is, read from its structure alone: nothing is decoded here.

A decoder allocates what a header asks for and works as long as there are frames, so both are known and
bounded before one is called. The walk also finds where the image ends: a file that is an image and
something else as well (a page, a script, an archive) is refused.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass

from services.avatars import gif, jpeg, png, webp
from services.avatars.errors import (
    MAX_FILE_BYTES,
    MAX_FRAMES,
    MAX_SIDE,
    MAX_TOTAL_PIXELS,
    AnimationTooLarge,
    DamagedImage,
    DataAfterImage,
    EmptyFile,
    FileTooLarge,
    ImageTooLarge,
    TooManyFrames,
    WrongType,
)
from services.avatars.layout import Layout


@dataclass(frozen=True)
class _Format:
    """A format's name, as Pillow has it, how its files begin, and the walk through them."""

    name: str
    begins: Callable[[bytes], bool]
    walk: Callable[[bytes], Layout]


_FORMATS = (
    _Format("JPEG", lambda data: data.startswith(jpeg.MAGIC), jpeg.walk),
    _Format("PNG", lambda data: data.startswith(png.MAGIC), png.walk),
    _Format("GIF", lambda data: data.startswith(gif.MAGICS), gif.walk),
    _Format("WEBP", lambda data: data.startswith(b"RIFF") and data[8:12] == b"WEBP", webp.walk),
)


def inspect(data: bytes) -> tuple[str, Layout]:
    """The format's name and the image's layout, within all bounds.

    Raises one of the refusals in services/avatars/errors.py.
    """
    if not data:
        raise EmptyFile
    if len(data) > MAX_FILE_BYTES:
        raise FileTooLarge
    found = next((format_ for format_ in _FORMATS if format_.begins(data)), None)
    if found is None:
        raise WrongType
    try:
        layout = found.walk(data)
    except (IndexError, struct.error):
        raise DamagedImage from None
    _check(layout)
    # Some programs fill a file up with zeros; those are nothing in any language.
    if data[layout.end :].strip(b"\0"):
        raise DataAfterImage
    return found.name, layout


def _check(layout: Layout) -> None:
    if not layout.width or not layout.height or not layout.frames:
        raise DamagedImage
    if layout.width > MAX_SIDE or layout.height > MAX_SIDE:
        raise ImageTooLarge
    if layout.frames > MAX_FRAMES:
        raise TooManyFrames
    if layout.width * layout.height * layout.frames > MAX_TOTAL_PIXELS:
        raise AnimationTooLarge
