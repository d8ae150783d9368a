"""Signed notes: a text and Ed25519 signatures of it (https://c2sp.org/signed-note)."""

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

MAX_LENGTH = 256 * 1024
"""Of a whole note, in bytes: more than twice what 16 post-quantum signatures need."""

MAX_SIGNATURES = 100

KEY_ID_SIZE = 4
PUBLIC_KEY_SIZE = 32

ED25519 = b"\x01"
"""The signature type of all keys here."""

# Control characters other than the newline; and what UTF-8 can't encode.
FORBIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]")
KEY_NAME = re.compile(r"[^\s+\x00-\x1f\ud800-\udfff]+")
SIGNATURE_LINE = re.compile(rf"\u2014 ({KEY_NAME.pattern}) (\S+)")


class BadNote(ValueError):
    """A note, a checkpoint or a verifier key is malformed, or no known key has signed the note."""


@dataclass(frozen=True)
class VerifierKey:
    """A public key of 32 bytes (RFC 8032), and its name, which has no blanks and plus signs."""

    name: str
    public_key: bytes

    def __post_init__(self) -> None:
        if not KEY_NAME.fullmatch(self.name):
            raise BadNote(f"not a key name: {self.name!r}")
        if len(self.public_key) != PUBLIC_KEY_SIZE:
            raise BadNote(f"an Ed25519 public key has {PUBLIC_KEY_SIZE} bytes")

    @classmethod
    def parse(cls, text: str) -> Self:
        """The key in a text such as ``example.com/log+530d903a+AekyeRrm…``. Raises BadNote."""
        name, _, rest = text.partition("+")
        key = cls(name, decode_base64(rest.partition("+")[2])[1:])
        if key.text != text:
            raise BadNote("the verifier key has another signature type than Ed25519, or a wrong key ID")
        return key

    @cached_property
    def key_id(self) -> bytes:
        """The 4 bytes that stand before each signature of this key."""
        return sha256(self.name.encode() + b"\n" + ED25519 + self.public_key).digest()[:KEY_ID_SIZE]

    @property
    def text(self) -> str:
        """The key as it is published."""
        return f"{self.name}+{self.key_id.hex()}+{encode_base64(ED25519 + self.public_key)}"

    def verify(self, text: str, signature: bytes) -> bool:
        """Whether this key has made the signature, which is given without its key ID."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public_key).verify(signature, text.encode())
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True)
class SigningKey:
    """A key that signs, from its name and its seed of 32 bytes (RFC 8032).

    Raises ValueError for another length, or a name that a verifier key can't have.
    """

    name: str
    seed: bytes = field(repr=False)

    def __post_init__(self) -> None:
        _ = self.verifier  # which checks both

    @cached_property
    def verifier(self) -> VerifierKey:
        return VerifierKey(self.name, self._private_key.public_key().public_bytes_raw())

    @property
    def verifier_key(self) -> str:
        """The text of the verifier key."""
        return self.verifier.text

    @property
    def key_id(self) -> bytes:
        return self.verifier.key_id

    def signature_line(self, text: str) -> str:
        """The line of a signed note with this key's signature of its text."""
        signature = self._private_key.sign(text.encode())
        return f"\u2014 {self.name} {encode_base64(self.key_id + signature)}\n"

    @cached_property
    def _private_key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)


def sign(text: str, keys: Sequence[SigningKey]) -> str:
    """The signed note of a text: the text, an empty line, and a signature of each key.

    Raises ValueError without a key, and for a text that does not end in a newline or has other control
    characters.
    """
    if not keys:
        raise ValueError("a signed note needs a key")
    if not text.endswith("\n") or FORBIDDEN.search(text):
        raise ValueError("the text of a note ends in a newline and has no other control characters")
    return f"{text}\n{''.join(key.signature_line(text) for key in keys)}"


def open_note(note: str, known: Sequence[VerifierKey]) -> str:
    """The text of a signed note that at least one known key has signed.

    Signatures of unknown keys are ignored. Raises BadNote for a malformed note, for a signature of a known
    key that fails, and when no known key has signed.
    """
    if FORBIDDEN.search(note) or len(note.encode()) > MAX_LENGTH:
        raise BadNote("the note is too long or has control characters")
    # The text may have empty lines. The last one of the note separates the signatures.
    body, separator, lines = note.rpartition("\n\n")
    if not separator or not lines.endswith("\n"):
        raise BadNote("the note has no signatures")
    text = body + "\n"
    signature_lines = lines[:-1].split("\n")
    if len(signature_lines) > MAX_SIGNATURES:
        raise BadNote(f"the note has more than {MAX_SIGNATURES} signatures")
    signatures = [_parse_signature(line) for line in signature_lines]
    checks = [
        key.verify(text, signature)
        for name, key_id, signature in signatures
        for key in known
        if (key.name, key.key_id) == (name, key_id)
    ]
    if not checks:
        raise BadNote("no known key has signed the note")
    if not all(checks):
        raise BadNote("a signature of a known key fails")
    return text


def encode_base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def decode_base64(text: str) -> bytes:
    """The bytes of standard base64 with padding. Raises BadNote unless encoding them gives the text again."""
    try:
        value = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise BadNote("not standard base64") from error
    if encode_base64(value) != text:
        raise BadNote("not canonical base64")
    return value


def _parse_signature(line: str) -> tuple[str, bytes, bytes]:
    """The key name, the key ID and the signature in a signature line."""
    found = SIGNATURE_LINE.fullmatch(line)
    if found is None:
        raise BadNote("a line of the note is not a signature")
    decoded = decode_base64(found[2])
    if len(decoded) <= KEY_ID_SIZE:
        raise BadNote("a signature of the note is too short")
    return found[1], decoded[:KEY_ID_SIZE], decoded[KEY_ID_SIZE:]
