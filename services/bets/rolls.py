"""The provably fair roll, as pure functions for the game, the audit and the verifying command.

    commitment = sha256(server seed as text), lowercase hex
    digest     = HMAC-SHA256(key = server seed as text, message = "<client seed>:<nonce>:<round>")
    roll       = digest as a big-endian 256-bit integer * 10_000_000 >> 256
    threshold  = floor(10_000_000 * (1 - house edge) * wager / price), in exact integers
    win        = roll < threshold

docs/front-end.md has the same in JavaScript.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable

ROLL_RANGE = 10_000_000
"""Rolls are whole numbers from 0 to ROLL_RANGE - 1; each is worth 0.00001 percent."""

ROLLS_PER_PERCENT = ROLL_RANGE // 100
PPM = 1_000_000

ROUND = 0
"""A spin has one round, whose number is part of the digest's message."""

SERVER_SEED = re.compile(r"[0-9a-f]{64}", re.ASCII)


def draw_server_seed(random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """A new server seed: 32 random bytes as 64 lowercase hex characters."""
    return random_bytes(32).hex()


def commitment_of(server_seed: str) -> str:
    """The commitment that is published before the bet: sha256 of the seed's text, in lowercase hex."""
    return hashlib.sha256(server_seed.encode()).hexdigest()


def digest(*, server_seed: str, client_seed: str, nonce: int) -> bytes:
    """The 32 bytes that decide a spin."""
    message = f"{client_seed}:{nonce}:{ROUND}".encode()
    return hmac.digest(server_seed.encode(), message, "sha256")


def roll(*, server_seed: str, client_seed: str, nonce: int) -> int:
    """The rolled number, 0 to 9,999,999, uniformly distributed (to within 2**-232)."""
    drawn = digest(server_seed=server_seed, client_seed=client_seed, nonce=nonce)
    return int.from_bytes(drawn, "big") * ROLL_RANGE >> 256


def threshold(*, wager_cents: int, price_cents: int, house_edge_ppm: int) -> int:
    """How many of the 10,000,000 rolls win, rounded down (in the house's favour).

    The edge is in millionths, so that the whole formula stays in integers.
    """
    return ROLL_RANGE * (PPM - house_edge_ppm) * wager_cents // (PPM * price_cents)


def percent(rolls: int) -> float:
    """A roll or a threshold in percent, 0.00000 to 100.00000."""
    return rolls / ROLLS_PER_PERCENT
