"""Checkpoints: what a log signs of its tree (https://c2sp.org/tlog-checkpoint)."""

import re
from dataclasses import dataclass
from typing import Self

from services.log.notes import BadNote, decode_base64, encode_base64
from services.log.tiles import HASH_SIZE

MAX_SIZE = 2**63 - 1
"""In entries: what databases and other readers can hold."""

SIZE = re.compile(r"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True)
class Checkpoint:
    """A log's origin, its size in entries, and the root of its tree, 32 bytes. Raises BadNote for others."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        if not self.origin or "\n" in self.origin:
            raise BadNote("the origin of a checkpoint is a line")
        if not 0 <= self.size <= MAX_SIZE:
            raise BadNote("the size of a checkpoint is out of range")
        if len(self.root) != HASH_SIZE:
            raise BadNote(f"the root of a checkpoint has {HASH_SIZE} bytes")

    @property
    def text(self) -> str:
        """The text of the note to sign: three lines."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The checkpoint in the text of a note, without any extension lines. Raises BadNote."""
        lines = text.split("\n")
        if len(lines) < 4 or lines[-1] or not all(lines[:-1]):  # noqa: PLR2004 - the last is what follows the newline
            raise BadNote("a checkpoint has three lines or more, and none is empty")
        origin, size, root = lines[:3]
        if not SIZE.fullmatch(size):
            raise BadNote("the size of a checkpoint is not a number")
        return cls(origin, int(size), decode_base64(root))
