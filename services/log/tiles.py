"""Tiles and entry bundles: their widths, paths and bytes (https://c2sp.org/tlog-tiles).

A tile is up to 256 consecutive hashes of one level, 32 bytes each. Level 0 has the leaf hashes; a hash of a
level above is the root of a full tile of the level below. An entry bundle has the entries of the tile of
level 0 with the same number. Paths are those below ``<prefix>/tile/``.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

TILE_WIDTH = 256
HASH_SIZE = 32
MAX_ENTRY_SIZE = 0xFFFF
"""In bytes: the length of an entry in its bundle is a 16-bit number."""

# A number has as few elements as possible, so that each tile has one path.
NUMBER = r"(?!x000/)(?P<number>(?:x[0-9]{3}/)*[0-9]{3})"
PARTIAL = r"(?:\.p/(?P<width>[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]))?"
TILE_PATH = re.compile(rf"(?P<level>[0-9]|[1-5][0-9]|6[0-3])/{NUMBER}{PARTIAL}")
BUNDLE_PATH = re.compile(rf"entries/{NUMBER}{PARTIAL}")


class TilePosition(NamedTuple):
    """Where a tile is: its level, 0 to 63, and its number within the level, from 0."""

    level: int
    number: int


def tile_width(level: int, number: int, size: int) -> int:
    """How many hashes this tile has in a tree of ``size`` entries, 0 to 256. One with 0 does not exist."""
    return max(0, min(TILE_WIDTH, (size >> 8 * level) - TILE_WIDTH * number))


def tile_path(position: TilePosition, width: int = TILE_WIDTH) -> str:
    """The path of a tile: ``<level>/<number>``, and ``.p/<width>`` if it is partial."""
    *leading, last = f"{position.number:,}".split(",")
    elements = [str(position.level), *(f"x{element:0>3}" for element in leading), f"{last:0>3}"]
    return "/".join(elements) + ("" if width == TILE_WIDTH else f".p/{width}")


def parse_tile_path(text: str) -> tuple[TilePosition, int]:
    """The position and the width, 1 to 256, in the path of a tile. Raises ValueError."""
    found = _match(TILE_PATH, text)
    return TilePosition(int(found["level"]), _number(found)), _width(found)


def parse_bundle_path(text: str) -> tuple[int, int]:
    """The number and the width, 1 to 256, in the path of an entry bundle. Raises ValueError."""
    found = _match(BUNDLE_PATH, text)
    return _number(found), _width(found)


def entry_bundle(entries: Sequence[bytes]) -> bytes:
    """The entries in a row, each after its length. Raises ValueError for an entry above MAX_ENTRY_SIZE."""
    if any(len(entry) > MAX_ENTRY_SIZE for entry in entries):
        raise ValueError(f"an entry has at most {MAX_ENTRY_SIZE} bytes")
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def _match(pattern: re.Pattern[str], text: str) -> re.Match[str]:
    found = pattern.fullmatch(text)
    if found is None:
        raise ValueError(f"not the path of a tile or an entry bundle: {text!r}")
    return found


def _number(found: re.Match[str]) -> int:
    return int(found["number"].replace("/x", "").replace("/", "").removeprefix("x"))


def _width(found: re.Match[str]) -> int:
    return int(found["width"] or TILE_WIDTH)
