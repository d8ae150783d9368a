"""The images that cost the most to decode within all limits of size.

``IMAGES`` maps a name to a function that makes the file.
"""

import struct
import zlib
from io import BytesIO

from PIL import Image

MAX_BYTES = 2_097_152
SIDE = 4096
FRAME_SIDE = 334
"""300 frames of this size are just within 33,554,432 pixels."""


def encoded(picture, kind, **options):
    """An image as the bytes of a file of this format."""
    file = BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def repeated(piece, *, around):
    """A piece as often as it fits into a file with this many other bytes."""
    return piece * ((MAX_BYTES - around) // len(piece))


def chunk(name, content=b""):
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(side, chunks, *, depth=8, colour=2, interlaced=0):
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, depth, colour, 0, 0, interlaced))
    return b"\x89PNG\r\n\x1a\n" + header + chunks + chunk(b"IEND")


PIXEL = chunk(b"IDAT", zlib.compress(bytes(4)))


def jpeg_of_many_scans(count=None):
    """A progressive JPEG whose last scan is repeated, 60,000 times by default."""
    whole = encoded(Image.new("RGB", (SIDE, SIDE), (90, 50, 20)), "JPEG", progressive=True)
    scan = whole[whole.rindex(b"\xff\xda") : -2]
    scans = scan * count if count else repeated(scan, around=len(whole))
    return whole[:-2] + scans + whole[-2:]


def jpeg_with(segment):
    whole = encoded(Image.new("RGB", (64, 64)), "JPEG")
    return whole[:2] + repeated(segment, around=len(whole)) + whole[2:]


def interlaced_png():
    """16 bits in four channels, interlaced, with the slowest filter."""
    packed = zlib.compressobj(9)
    pieces = []
    for x, y, dx, dy in (
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ):
        row = b"\4" + bytes((SIDE - x + dx - 1) // dx * 8)
        pieces += [packed.compress(row) for _ in range((SIDE - y + dy - 1) // dy)]
    pieces.append(packed.flush())
    return png(SIDE, chunk(b"IDAT", b"".join(pieces)), depth=16, colour=6, interlaced=1)


def animation(kind, frames, side):
    pictures = [
        Image.new("RGBA", (side, side), (number * 97 % 256,) * 3 + (200,)) for number in range(frames)
    ]
    return encoded(pictures[0], kind, save_all=True, append_images=pictures[1:], duration=70, lossless=True)


GIF_PIXEL = b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02\x44\x01\x00"


def gif_with(blocks):
    return b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + bytes(6) + blocks + GIF_PIXEL + b"\x3b"


def gif_of_blocks():
    """One frame in 1,000,000 blocks of one byte, and another frame."""
    return gif_with(GIF_PIXEL[:-1] + repeated(b"\x01a", around=100) + b"\0")


def gif_that_restores(frames, side):
    """Each frame restores the one before it."""
    whole = encoded(Image.new("P", (side, side), 3), "GIF")
    head = 13 + (3 << ((whole[10] & 7) + 1))
    frame = b"!\xf9\x04\x0d\x05\0\x07\0" + whole[whole.index(b"\x2c", head) : -1]
    return (
        b"GIF89a"
        + struct.pack("<HHBBB", side, side, 0xF7, 0, 0)
        + bytes(range(256)) * 3
        + frame * frames
        + b"\x3b"
    )


def webp_with_a_large_canvas():
    """Two frames of 16 pixels on a canvas of 4096: 184 bytes."""
    whole = animation("WEBP", 2, 16)
    side = struct.pack("<I", SIDE - 1)[:3]
    return whole[:24] + side + side + whole[30:]


IMAGES = {
    "JPEG, 60,000 scans": jpeg_of_many_scans,
    "JPEG, 200,000 EXIF segments": lambda: jpeg_with(b"\xff\xe1\x00\x0aExif\0\0ab"),
    "JPEG, 500,000 comments": lambda: jpeg_with(b"\xff\xfe\x00\x02"),
    "JPEG, fill bytes": lambda: jpeg_with(b"\xff"),
    "PNG, 4096 x 4096": lambda: encoded(Image.new("RGBA", (SIDE, SIDE)), "PNG"),
    "PNG, interlaced, 64 bits": interlaced_png,
    "PNG, 170,000 chunks": lambda: png(1, repeated(chunk(b"abCd"), around=200) + PIXEL),
    "PNG, 2 GB of profiles": lambda: png(
        1, repeated(chunk(b"iCCP", b"k\0\0" + zlib.compress(bytes(10**6), 9)), around=200) + PIXEL
    ),
    "PNG, 300 frames": lambda: animation("PNG", 300, FRAME_SIDE),
    "PNG, 2 large frames": lambda: animation("PNG", 2, SIDE),
    "GIF, 140,000 frames": lambda: gif_with(repeated(GIF_PIXEL, around=100)),
    "GIF, 400,000 comments": lambda: gif_with(repeated(b"!\xfe\x01a\x00", around=100)),
    "GIF, 1,000,000 blocks": gif_of_blocks,
    "GIF, 300 frames": lambda: gif_that_restores(300, FRAME_SIDE),
    "GIF, 2 large frames": lambda: gif_that_restores(2, SIDE),
    "WEBP, large canvas": webp_with_a_large_canvas,
    "WEBP, 4096 x 4096": lambda: encoded(
        Image.effect_noise((512, 512), 90).resize((SIDE, SIDE), 0), "WEBP", lossless=True
    ),
    "WEBP, 300 frames": lambda: animation("WEBP", 300, FRAME_SIDE),
}
