"""What the log signs: notes (https://c2sp.org/signed-note) with Ed25519, and the checkpoints among them.

A checkpoint (https://c2sp.org/tlog-checkpoint) states the size and the root of the log's tree.
"""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.log.tree import HASH_SIZE

ED25519 = b"\x01"
"""The signature type of all keys here."""

MAX_SIZE = 2**63 - 1
"""Of a log, in entries: what databases and other readers can hold."""

SIZE = re.compile(r"0|[1-9][0-9]{0,18}")


class BadNote(ValueError):
    """A note or a checkpoint is malformed, or none of the keys has signed the note."""


@dataclass(frozen=True)
class Checkpoint:
    """A log's origin, its size in entries, and the root of its tree, 32 bytes."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text of the note to sign: three lines."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"

    @cached_property
    def root_hex(self) -> str:
        """The root as the database has it."""
        return self.root.hex()

    @classmethod
    def parse(cls, text: str) -> Self:
        """The checkpoint in the text of a note, without any extension lines. Raises BadNote."""
        origin, size, root, *_ = *text.split("\n"), "", ""
        if not origin or not SIZE.fullmatch(size) or int(size) > MAX_SIZE:
            raise BadNote("a checkpoint has a line with its origin, and one with its size")
        if len(decoded := decode_base64(root)) != HASH_SIZE:
            raise BadNote(f"the root of a checkpoint has {HASH_SIZE} bytes")
        return cls(origin, int(size), decoded)


class SigningKey:
    """An Ed25519 key, from its seed of 32 bytes (RFC 8032), and its name without blanks and plus signs."""

    def __init__(self, name: str, seed: bytes) -> None:
        self.name = name
        self._private_key = Ed25519PrivateKey.from_private_bytes(seed)
        public_key = ED25519 + self._private_key.public_key().public_bytes_raw()
        self._id = sha256(f"{name}\n".encode() + public_key).digest()[:4]
        self.verifier_key = f"{name}+{self._id.hex()}+{encode_base64(public_key)}"
        """The public key as it is published."""

    def signature_line(self, text: str) -> str:
        """The line of a signed note with this key's signature of its text, without the newline."""
        signature = self._private_key.sign(text.encode())
        return f"\u2014 {self.name} {encode_base64(self._id + signature)}"


class LogKeys:
    """The current key signs everything; an announced next one signs checkpoints too."""

    def __init__(self, seeds: Sequence[bytes]) -> None:
        """``seeds`` are those of the current key, and of the next one if there is one."""
        self._named = lru_cache(maxsize=8)(lambda name: [SigningKey(name, seed) for seed in seeds])

    def verifier_keys(self, name: str) -> list[str]:
        """The public keys of this name as texts, the current one first."""
        return [key.verifier_key for key in self._named(name)]

    def sign(self, text: str, *, name: str) -> str:
        """The note of a text, signed by the current key: the text, an empty line, and the signature."""
        return f"{text}\n{self._named(name)[0].signature_line(text)}\n"

    def sign_checkpoint(self, checkpoint: Checkpoint) -> str:
        """The note of a checkpoint, signed by all keys."""
        text = checkpoint.text
        lines = [key.signature_line(text) for key in self._named(checkpoint.origin)]
        return "\n".join([text, *lines, ""])

    def open_checkpoint(self, note: str) -> Checkpoint:
        """The checkpoint in a note that one of the keys has signed. Raises BadNote.

        The server only reads its own notes. An Ed25519 key signs a text always in the same way.
        """
        body, _, signatures = note.rpartition("\n\n")
        checkpoint = Checkpoint.parse(f"{body}\n")
        keys = self._named(checkpoint.origin)
        if not any(key.signature_line(f"{body}\n") in signatures.split("\n") for key in keys):
            raise BadNote("no known key has signed the note")
        return checkpoint


def encode_base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def decode_base64(text: str) -> bytes:
    """The bytes of standard base64 with padding. Raises BadNote unless encoding them gives the text again."""
    try:
        value = base64.b64decode(text, validate=True)
    except ValueError:
        raise BadNote("not standard base64") from None
    if encode_base64(value) != text:
        raise BadNote("not canonical base64")
    return value
