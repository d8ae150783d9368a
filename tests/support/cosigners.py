"""Cosignatures of witnesses, made the naive way: the independent half of the tests of the programs."""

import hashlib
import struct
from base64 import b64decode, b64encode

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey


class Cosigner:
    """A witness whose key follows from its name. It cosigns everything."""

    def __init__(self, name: str, type_: int = 4) -> None:
        self.name = name
        seed = hashlib.sha256(name.encode()).digest()
        kinds = {4: Ed25519PrivateKey.from_private_bytes, 6: MLDSA44PrivateKey.from_seed_bytes}
        self._type, self._private = type_, kinds[type_](seed)
        self._typed = bytes([type_]) + self._private.public_key().public_bytes_raw()

    @property
    def id(self) -> bytes:
        return hashlib.sha256(self.name.encode() + b"\n" + self._typed).digest()[:4]

    @property
    def key(self) -> str:
        """The verifier key."""
        return f"{self.name}+{self.id.hex()}+{b64encode(self._typed).decode()}"

    def line(self, note: str, seconds: int) -> str:
        """The cosignature of the checkpoint in a note, made at this Unix time."""
        text = note.partition("\n\n")[0] + "\n"
        signature = self._private.sign(getattr(self, f"_message_{self._type}")(text, seconds))
        return f"— {self.name} {b64encode(self.id + struct.pack('>Q', seconds) + signature).decode()}\n"

    def _message_4(self, text: str, seconds: int) -> bytes:
        return f"cosignature/v1\ntime {seconds}\n{text}".encode()

    def _message_6(self, text: str, seconds: int) -> bytes:
        origin, size, root = text.split("\n")[:3]
        name, log = self.name.encode(), origin.encode()
        return struct.pack(
            f">12sB{len(name)}sQB{len(log)}sQQ32s",
            *(b"subtree/v1\n\0", len(name), name, seconds, len(log), log, 0, int(size), b64decode(root)),
        )


def cosigned(note: str, seconds: int, *cosigners: Cosigner) -> str:
    """A signed checkpoint with their cosignatures."""
    return note + "".join(each.line(note, seconds) for each in cosigners)
