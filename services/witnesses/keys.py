"""The keys of witnesses, and their cosignatures of checkpoints (https://c2sp.org/tlog-cosignature)."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey

from services.log.notes import BadNote, Checkpoint, decode_base64
from services.shared.clock import Millis

ED25519, ML_DSA_44 = 0x04, 0x06
"""The types of keys that cosign."""

KEY_BYTES = {ED25519: 32, ML_DSA_44: 1_312}
ID_BYTES, TIME_BYTES = 4, 8
MAX_NAME = 255
MAX_SECONDS = 2**53 // 1_000
"""The latest time that is believed: in milliseconds it is a whole number for every reader."""

LABEL = b"subtree/v1\n\0"


@dataclass(frozen=True)
class WitnessKey:
    """A verifier key of a witness: ``<name>+<id in hexadecimal>+<base64 of type and public key>``."""

    text: str
    name: str
    id: bytes
    type: int
    public_key: bytes

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises BadNote unless the text is the key of a cosigner."""
        name, _, rest = text.partition("+")
        id_text, _, material = rest.partition("+")
        key = decode_base64(material)
        id_ = sha256(f"{name}\n".encode() + key).digest()[:ID_BYTES]
        if not name or len(name.split()) != 1 or len(name.encode()) > MAX_NAME or id_.hex() != id_text:
            raise BadNote("not a verifier key")
        if len(key) - 1 != KEY_BYTES.get(key[0]):
            raise BadNote("not the key of a cosigner: its type must be 0x04 or 0x06")
        return cls(text, name, id_, key[0], key[1:])

    def time_of(self, line: str, checkpoint: Checkpoint) -> Millis | None:
        """When this witness has cosigned the checkpoint, by the witness's own clock, as a line says.

        None for the line of another key. Raises BadNote for a line of this key that is no cosignature of the
        checkpoint.
        """
        dash, name, encoded, *more = [*line.split(" "), "", ""]
        if dash != "\u2014" or name != self.name or any(more):
            return None
        signature = decode_base64(encoded)
        if signature[:ID_BYTES] != self.id:
            return None
        seconds = int.from_bytes(signature[ID_BYTES : ID_BYTES + TIME_BYTES])
        try:
            self._verify(signature[ID_BYTES + TIME_BYTES :], seconds, checkpoint)
        except (InvalidSignature, ValueError):
            raise BadNote("the witness has not cosigned this checkpoint") from None
        if not 0 < seconds <= MAX_SECONDS:
            raise BadNote("the time of the cosignature is no time")
        return Millis(seconds * 1_000)

    def _verify(self, signature: bytes, seconds: int, checkpoint: Checkpoint) -> None:
        """Raises InvalidSignature or ValueError."""
        if self.type == ED25519:
            message = f"cosignature/v1\ntime {seconds}\n{checkpoint.text}".encode()
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(signature, message)
        else:
            message = LABEL + _with_length(self.name) + seconds.to_bytes(TIME_BYTES)
            message += _with_length(checkpoint.origin) + bytes(8) + checkpoint.size.to_bytes(8)
            MLDSA44PublicKey.from_public_bytes(self.public_key).verify(signature, message + checkpoint.root)


def _with_length(text: str) -> bytes:
    """A text after its length in a byte. Raises ValueError if it is too long."""
    encoded = text.encode()
    if len(encoded) > MAX_NAME:
        raise ValueError("too long")
    return bytes([len(encoded)]) + encoded
