"""The provably fair ticket of an opening of a case, as pure functions.

    digest = HMAC-SHA256(key = server seed as text, message = "<game>:<client seed>:<nonce>:0")
    ticket = digest as a big-endian 256-bit integer * 10**18 >> 256

Each item's width is its percentage times 10**16, and the widths of a case sum to 10**18. The items follow
each other in the order of their case; the item whose range holds the ticket is won.
docs/front-end.md has the same in JavaScript.
"""

import hashlib
import hmac
from collections.abc import Sequence

TICKET_RANGE = 10**18
"""Tickets are whole numbers from 0 to TICKET_RANGE - 1."""

TICKETS_PER_PERCENT = TICKET_RANGE // 100
DECIMALS = 10**5
"""``percent`` has five decimals."""


def ticket(*, game: str, server_seed: str, client_seed: str, nonce: int) -> int:
    """The ticket, uniformly distributed (to within 2**-196). ``game`` is ``case`` or ``irl``."""
    message = f"{game}:{client_seed}:{nonce}:0".encode()
    digest = hmac.digest(server_seed.encode(), message, hashlib.sha256)
    return int.from_bytes(digest, "big") * TICKET_RANGE >> 256


def winner(ticket: int, widths: Sequence[int]) -> int:
    """The position of the item whose range holds the ticket. The widths must sum to TICKET_RANGE."""
    end = 0
    for position, width in enumerate(widths):
        end += width
        if ticket < end:
            return position
    raise ValueError("the widths of a case sum to 10**18")


def percent(ticket: int) -> float:
    """A ticket in percent, rounded down to five decimals: 0.00000 to 99.99999."""
    return ticket * DECIMALS // TICKETS_PER_PERCENT / DECIMALS
