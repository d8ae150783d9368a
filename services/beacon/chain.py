"""A drand network: when its rounds are published, and whether a beacon is genuine.

Scheme ``bls-unchained-g1-rfc9380``: the beacon of a round is a BLS signature in G1, over the SHA-256 of the
round's number, by a key in G2 that the members of the network hold together.

    message    = SHA-256(round as 8 bytes, big-endian)
    randomness = SHA-256(signature)
    time       = genesis + period * (round - 1)

Source: the specification of drand (https://docs.drand.love/docs/specification), RFC 9380.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from py_arkworks_bls12381 import GT, G1Point, G2Point

SCHEME = "bls-unchained-g1-rfc9380"
DOMAIN = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
UNNAMED = "default"
"""The id of a network that is not part of its hash."""

SIGNATURE = re.compile("[0-9a-f]{96}", re.ASCII)
"""One text for each beacon. Decoders of points take several encodings of the same point."""


class BadBeacon(Exception):
    """A text is not the beacon of its round."""


@dataclass(frozen=True, kw_only=True)
class Chain:
    """A network. Times are in Unix seconds, bytes in lower-case hex."""

    public_key: str
    group_hash: str
    genesis: int
    period: int
    beacon_id: str

    @property
    def hash(self) -> str:
        """The name of the network: whoever knows it can check all of the other fields."""
        digest = hashlib.sha256(self.period.to_bytes(4, "big") + self.genesis.to_bytes(8, "big"))
        digest.update(bytes.fromhex(self.public_key) + bytes.fromhex(self.group_hash))
        if self.beacon_id != UNNAMED:
            digest.update(self.beacon_id.encode())
        return digest.hexdigest()

    @property
    def info(self) -> dict[str, Any]:
        """The description of the network in the form of a relay's ``/info``."""
        return {
            "public_key": self.public_key,
            "period": self.period,
            "genesis_time": self.genesis,
            "hash": self.hash,
            "groupHash": self.group_hash,
            "schemeID": SCHEME,
            "metadata": {"beaconID": self.beacon_id},
        }

    def time_ms(self, round_: int) -> int:
        """When the round is published, in Unix milliseconds. Rounds are numbered from 1."""
        return (self.genesis + self.period * (round_ - 1)) * 1000

    def first_round_at(self, time_ms: int) -> int:
        """The first round that is published at this time or later."""
        return max(1, -((self.genesis * 1000 - time_ms) // (self.period * 1000)) + 1)

    def verify(self, round_: int, signature: str) -> str:
        """The randomness of a genuine beacon, in hex. Raises BadBeacon. Takes about 2 ms of CPU."""
        if not SIGNATURE.fullmatch(signature):
            raise BadBeacon("the signature is not 96 lower-case hexadecimal digits")
        content = bytes.fromhex(signature)
        try:
            point = G1Point.from_compressed_bytes(content)
        except ValueError:
            raise BadBeacon("the signature is not a point of the curve") from None
        key = G2Point.from_compressed_bytes(bytes.fromhex(self.public_key))
        hashed = G1Point.hash_to_curve(message_of(round_), DOMAIN)
        if not GT.pairing_check([point, -hashed], [G2Point(), key]):
            raise BadBeacon("the signature is not that of the round")
        return hashlib.sha256(content).hexdigest()


def message_of(round_: int) -> bytes:
    """What the network signs for a round."""
    return hashlib.sha256(round_.to_bytes(8, "big")).digest()


QUICKNET = Chain(
    public_key=(
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
        "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
    ),
    group_hash="f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
    genesis=1692803367,
    period=3,
    beacon_id="quicknet",
)
"""The public network with a round each three seconds."""
