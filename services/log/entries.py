"""The entries of the log of bets: canonical JSON (RFC 8785) with integers and texts only.

Amounts are in cents, times in Unix milliseconds. docs/fairness-log.md describes every kind.
"""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

VERSION = 1
AUDIT_VERSION = 2
"""The version of the entries that ``audit`` makes."""
CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
PPM = 1_000_000


class Reason(StrEnum):
    """Why a commitment is announced other than by a bet."""

    NEW = "new"
    REDRAWN = "redrawn"


COMMITMENT = re.compile(
    r'\{"at":[0-9]{1,16},"commitment":"[0-9a-f]{64}","nonce":[0-9]{1,16},"player":"[0-9a-f]{32}",'
    r'"reason":("new"|"redrawn","redraw":[0-9]{1,16}),"v":1\}'
)


class LoggedBet(NamedTuple):
    """The columns of a bet and its snapshot that its entry is made from."""

    game: str
    nonce: int
    algorithm: str
    wager_cents: int
    item: str
    price_cents: int | None
    house_edge_ppm: int | None
    threshold: int | None
    snapshot: str | None
    """The hash of the snapshot of an opening."""
    client_seed: str
    server_seed_commitment: str
    next_commitment: bytes
    """The commitment announced for the next bet."""
    created_at_ms: int


def bet(settled: LoggedBet, *, player: str) -> bytes:
    """The entry of a settled bet. ``player`` is the pseudonym."""
    terms: dict[str, Any] = {"algorithm": settled.algorithm, "wager": settled.wager_cents}
    if settled.house_edge_ppm is not None:
        terms |= {
            "edge": edge_text(settled.house_edge_ppm),
            "item": settled.item,
            "price": settled.price_cents,
            "threshold": settled.threshold,
        }
    else:
        terms["snapshot"] = settled.snapshot
    return to_bytes(
        {
            "at": settled.created_at_ms,
            "clientSeed": settled.client_seed,
            "commitment": settled.server_seed_commitment,
            "game": settled.game,
            "next": bytes(settled.next_commitment).hex(),
            "nonce": settled.nonce,
            "player": player,
            "terms": terms,
        }
    )


def commitment(
    *, at: int, commitment: str, nonce: int, player: str, reason: Reason, redraw: int | None = None
) -> bytes:
    """The entry of a commitment that no bet has announced. ``redraw`` is the epoch of a redrawn one."""
    content = {"at": at, "commitment": commitment, "nonce": nonce, "player": player, "reason": reason}
    return to_bytes(content if redraw is None else content | {"redraw": redraw})


def is_commitment(text: str) -> bool:
    """Whether a text has the form of the entry of a commitment."""
    return COMMITMENT.fullmatch(text) is not None


def epoch(*, at: int, redraw: int, reason: str) -> bytes:
    """The entry with which an epoch of redraws begins."""
    return to_bytes({"at": at, "redraw": redraw, "reason": reason})


def fork(*, at: int, fork_of: str, kept: int, size: int, root: str) -> bytes:
    """The first entry of a successor. ``size`` and ``root`` (base64) are those that were signed last."""
    return to_bytes({"at": at, "forkOf": fork_of, "kept": kept, "root": root, "size": size})


def next_key(*, at: int, verifier_key: str) -> bytes:
    """The entry that announces the next key."""
    return to_bytes({"at": at, "nextKey": verifier_key})


def audit(*, at: int, digest: str, events: int) -> bytes:
    """The entry that anchors the audit trail: how many events it has, and the digest of their chain."""
    content = {"at": at, "audit": digest, "events": events, "v": AUDIT_VERSION}
    return CANONICAL.encode(content).encode()


def to_bytes(content: Mapping[str, Any]) -> bytes:
    """The entry with this content and its version, as canonical JSON."""
    # Python escapes what RFC 8785 escapes, and all keys are ASCII, so their order is the same too.
    return CANONICAL.encode({**content, "v": VERSION}).encode()


@lru_cache(maxsize=64)
def edge_text(house_edge_ppm: int) -> str:
    """A house edge as a decimal text such as ``0.05``."""
    return f"{(Decimal(house_edge_ppm) / PPM).normalize():f}"
