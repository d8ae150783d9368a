"""The provably fair rules of a bet, with the standard library alone.

    commitment = sha256(server seed as text), lowercase hex
    digest     = HMAC-SHA256(key = server seed as text, message), a big-endian 256-bit integer

A spin of the upgrader:

    message    = "<client seed>:<nonce>:0"
    roll       = digest * 10_000_000 >> 256
    threshold  = floor(10_000_000 * (1 - house edge) * wager / price), in exact integers
    win        = roll < threshold

An opening of a case:

    message    = "<game>:<client seed>:<nonce>:0"
    ticket     = digest * 10**18 >> 256

Each item's width is its percentage times 10**16, and the widths of a case sum to 10**18. The items follow
each other in the order of their case; the item whose range holds the ticket is won.

``verify/generate.py`` copies these functions into the programs of ``verify/``.
blueprints/site/static/fairness/rolls.js has the same rules in JavaScript.
"""

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

ROLL_RANGE = 10_000_000
"""Rolls are whole numbers from 0 to ROLL_RANGE - 1; each is worth 0.00001 percent."""

ROLLS_PER_PERCENT = ROLL_RANGE // 100
PPM = 1_000_000

TICKET_RANGE = 10**18
"""Tickets are whole numbers from 0 to TICKET_RANGE - 1."""

TICKETS_PER_ROLL = TICKET_RANGE // ROLL_RANGE

ROUND = 0
"""A bet has one round, whose number is part of the digest's message."""

SERVER_SEED = re.compile(r"[0-9a-f]{64}", re.ASCII)
WHOLE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
"""A number in a snapshot."""


def commitment_of(server_seed: str) -> str:
    """The commitment that is published before the bet: sha256 of the seed's text, in lowercase hex."""
    return hashlib.sha256(server_seed.encode()).hexdigest()


def digest(*, server_seed: str, client_seed: str, nonce: int, game: str = "") -> bytes:
    """The 32 bytes that decide a bet. ``game`` is ``case`` or ``irl``, and empty for a spin."""
    message = f"{client_seed}:{nonce}:{ROUND}"
    if game:
        message = f"{game}:{message}"
    return hmac.digest(server_seed.encode(), message.encode(), "sha256")


def roll(*, server_seed: str, client_seed: str, nonce: int) -> int:
    """The rolled number of a spin, 0 to 9,999,999, uniformly distributed (to within 2**-232)."""
    drawn = digest(server_seed=server_seed, client_seed=client_seed, nonce=nonce)
    return int.from_bytes(drawn, "big") * ROLL_RANGE >> 256


def ticket(*, game: str, server_seed: str, client_seed: str, nonce: int) -> int:
    """The ticket of an opening, uniformly distributed (to within 2**-196). ``game``: ``case`` or ``irl``."""
    drawn = digest(server_seed=server_seed, client_seed=client_seed, nonce=nonce, game=game)
    return int.from_bytes(drawn, "big") * TICKET_RANGE >> 256


def threshold(*, wager_cents: int, price_cents: int, house_edge_ppm: int) -> int:
    """How many of the 10,000,000 rolls win, rounded down (in the house's favour).

    The edge is in millionths, so that the whole formula stays in integers.
    """
    return ROLL_RANGE * (PPM - house_edge_ppm) * wager_cents // (PPM * price_cents)


def percent(rolls: int) -> float:
    """A roll or a threshold in percent, 0.00000 to 100.00000."""
    return rolls / ROLLS_PER_PERCENT


def ticket_percent(ticket: int) -> float:
    """A ticket in percent, rounded down to five decimals: 0.00000 to 99.99999."""
    return percent(ticket // TICKETS_PER_ROLL)


def winner(ticket: int, widths: Iterable[int]) -> int:
    """The position of the item whose range holds the ticket. The widths must sum to TICKET_RANGE."""
    end = 0
    for position, width in enumerate(widths):
        end += width
        if ticket < end:
            return position
    raise ValueError("the widths of a case sum to 10**18")


class ContentItem(NamedTuple):
    """An item of a case. Of 10**18 tickets, ``width`` win it."""

    name: str
    price_cents: int
    width: int


canonical_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def content_text(case_id: str, price_cents: int, items: Sequence[tuple[str, int, int]]) -> str:
    """The snapshot of a case with these items, rarest first: its content as canonical JSON."""
    shown = [{"name": name, "price": str(price), "width": str(width)} for name, price, width in items]
    return canonical_json({"id": case_id, "items": shown, "price": str(price_cents)})


def read_content(text: str) -> tuple[str, int, list[ContentItem]]:
    """Id, price in cents and items in a snapshot. Raises ValueError if it is not one."""
    try:
        case = json.loads(text)
        items = [ContentItem(item["name"], int(item["price"]), int(item["width"])) for item in case["items"]]
        names = [case["id"], *(item.name for item in items)]
        numbers = [case["price"], *(item[key] for item in case["items"] for key in ("price", "width"))]
        is_canonical = (
            all(isinstance(name, str) for name in names)
            and all(WHOLE.fullmatch(number) for number in numbers)
            and content_text(case["id"], int(case["price"]), items) == text
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        is_canonical = False
    if not is_canonical:
        raise ValueError("the snapshot is not the canonical JSON of a case")
    if sum(item.width for item in items) != TICKET_RANGE:
        raise ValueError("the widths of the items must sum to 10^18")
    return case["id"], int(case["price"]), items


def draw_server_seed(random_bytes: Callable[[int], bytes] = secrets.token_bytes) -> str:
    """A new server seed: 32 random bytes as 64 lowercase hex characters."""
    return random_bytes(32).hex()
