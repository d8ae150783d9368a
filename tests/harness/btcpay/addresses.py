"""Bitcoin addresses in Bech32 (BIP 173), to which nobody has a key."""

import hashlib

LETTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
GENERATOR = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
PREFIX = "bc"


def address_of(name: str) -> str:
    """An address that belongs to this name."""
    digest = int.from_bytes(hashlib.sha256(name.encode()).digest()[:20], "big")
    # Version 0, then the 160 bits in groups of five.
    values = [0, *((digest >> shift) & 31 for shift in range(155, -5, -5))]
    checksum = _checksum([*values, 0, 0, 0, 0, 0, 0]) ^ 1
    values += [(checksum >> shift) & 31 for shift in range(25, -5, -5)]
    return f"{PREFIX}1{''.join(LETTERS[value] for value in values)}"


def is_address(text: str) -> bool:
    """Whether this is a Bech32 address whose checksum is right."""
    prefix, _, data = text.lower().rpartition("1")
    if prefix != PREFIX or len(data) not in (39, 59) or not set(data) <= set(LETTERS):
        return False
    return _checksum([LETTERS.index(letter) for letter in data]) == 1


def _checksum(values: list[int]) -> int:
    prefix = [ord(letter) >> 5 for letter in PREFIX] + [0] + [ord(letter) & 31 for letter in PREFIX]
    result = 1
    for value in prefix + values:
        top = result >> 25
        result = (result & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(GENERATOR):
            result ^= generator if top >> bit & 1 else 0
    return result
