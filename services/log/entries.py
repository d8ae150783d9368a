"""The entries of the log: canonical JSON (RFC 8785) with integers and texts only.

Amounts are in cents, times in Unix milliseconds. docs/fairness-log.md describes every kind.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from cachetools import LRUCache

from models.battles import VoidReason
from models.db.connection import reading
from models.db.sql import execute
from models.log import Log
from models.users import User
from services.log.notes import Checkpoint, encode_base64

CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
PPM = 1_000_000
MAX_INTEGER = 10**16
MAX_BYTES = 65_535
"""Of one entry: bundles have its length in two bytes."""

BOT = "bot"
"""In the place of a pseudonym."""
REMEMBERED = 100_000
"""Players whose pseudonyms are kept in memory."""


class Reason(StrEnum):
    """Why a commitment is announced other than by a bet."""

    NEW = "new"
    REDRAWN = "redrawn"


COMMITMENT = re.compile(
    r'\{"at":[0-9]{1,16},"commitment":"[0-9a-f]{64}","nonce":[0-9]{1,16},"player":"[0-9a-f]{32}",'
    r'"reason":("new"|"redrawn","redraw":[0-9]{1,16}),"v":1\}'
)


HEX_64 = re.compile("[0-9a-f]{64}")
OF_BATTLE = {"at": int, "battle": HEX_64, "v": 2}
LOCK = OF_BATTLE | {
    "beacon": {"chain": HEX_64, "round": int},
    "cases": [HEX_64],
    "commitment": HEX_64,
    "crazy": bool,
    "mode": re.compile("normal|jackpot|shared"),
    "playersOnly": bool,
    "seats": [
        {
            "clientSeed": re.compile("[A-Za-z0-9_-]{4,64}"),
            "player": re.compile(f"[0-9a-f]{{32}}|{BOT}"),
            "team": int,
        }
    ],
    "terminal": bool,
}
END = OF_BATTLE | {"lock": int, "seed": HEX_64, "signature": re.compile("[0-9a-f]{96}")}
VOID = OF_BATTLE | {"lock": int, "reason": re.compile("|".join(VoidReason)), "seed": HEX_64}
"""The forms of a battle's entries: see ``_has_form``."""


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


def may_be_signed(text: str) -> bool:
    """Whether a text that waits has the form of the entry of a commitment, or of a battle."""
    return COMMITMENT.fullmatch(text) is not None or _is_of_battle(text)


def _is_of_battle(text: str) -> bool:
    try:
        content = json.loads(text)
        is_canonical = CANONICAL.encode(content) == text
    except (ValueError, RecursionError):
        return False
    has_form = any(_has_form(content, form) for form in (LOCK, END, VOID))
    return is_canonical and has_form and len(text.encode()) <= MAX_BYTES


def _has_form(value: Any, form: Any) -> bool:
    """Whether a value has a form: a type, a value, a pattern, or such forms in a list or under keys."""
    if isinstance(form, dict):
        has_keys = isinstance(value, dict) and value.keys() == form.keys()
        return has_keys and all(_has_form(value[key], form[key]) for key in form)
    if isinstance(form, list):
        return isinstance(value, list) and all(_has_form(each, form[0]) for each in value)
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    if form is int:
        return type(value) is int and 0 <= value < MAX_INTEGER
    return type(value) is bool if form is bool else type(value) is int and value == form


def epoch(*, at: int, redraw: int, reason: str) -> bytes:
    """The entry with which an epoch of redraws begins."""
    return to_bytes({"at": at, "redraw": redraw, "reason": reason})


def successor(*, at: int, ended: Checkpoint, kept: int) -> bytes:
    """The first entry of a successor, which has ``kept`` entries of the log with this last checkpoint."""
    root = encode_base64(ended.root)
    return to_bytes({"at": at, "forkOf": ended.origin, "kept": kept, "root": root, "size": ended.size})


def next_key(*, at: int, key: str, next_key: str) -> bytes:
    """The entry in which the present key announces the next one; both are verifier keys."""
    return to_bytes({"at": at, "key": key, "nextKey": next_key})


def audit(*, at: int, digest: str, events: int) -> bytes:
    """The entry that anchors the first ``events`` events of the audit trail. The digest is hexadecimal."""
    return to_bytes({"at": at, "audit": digest, "events": events}, version=2)


class LoggedSeat(NamedTuple):
    """A seat of a locked battle."""

    client_seed: str
    player: str | None
    """The pseudonym; None for a bot."""
    team: int


def battle_lock(
    *,
    at: int,
    battle: str,
    chain: str,
    round_: int,
    cases: Sequence[str],
    commitment: str,
    crazy: bool,
    mode: str,
    players_only: bool,
    seats: Sequence[LoggedSeat],
    terminal: bool,
) -> bytes:
    """The entry of a battle whose last seat is taken. ``battle`` is its public id, which the log hides.

    ``chain`` is the hash of the beacon's network, and ``cases`` are the hashes of the snapshots.
    """
    return to_bytes(
        {
            "at": at,
            "battle": battle_name(battle),
            "beacon": {"chain": chain, "round": round_},
            "cases": list(cases),
            "commitment": commitment,
            "crazy": crazy,
            "mode": mode,
            "playersOnly": players_only,
            "seats": [
                {"clientSeed": seat.client_seed, "player": seat.player or BOT, "team": seat.team}
                for seat in seats
            ],
            "terminal": terminal,
        },
        version=2,
    )


def battle_end(*, at: int, battle: str, lock: int, seed: str, signature: str) -> bytes:
    """The entry of a settled battle; ``lock`` is the index of its lock."""
    return to_bytes(
        {"at": at, "battle": battle_name(battle), "lock": lock, "seed": seed, "signature": signature},
        version=2,
    )


def battle_void(*, at: int, battle: str, lock: int, reason: str, seed: str) -> bytes:
    """The entry of a battle that was locked and refunded."""
    return to_bytes(
        {"at": at, "battle": battle_name(battle), "lock": lock, "reason": reason, "seed": seed}, version=2
    )


def battle_name(public_id: str) -> str:
    """The name of a battle in the log: the SHA-256 of its id, so that the log does not lead to its page."""
    return hashlib.sha256(public_id.encode()).hexdigest()


def to_bytes(content: Mapping[str, Any], *, version: int = 1) -> bytes:
    """The entry with this content and its version, as canonical JSON."""
    # Python escapes what RFC 8785 escapes, and all keys are ASCII, so their order is the same too.
    return CANONICAL.encode({**content, "v": version}).encode()


@lru_cache(maxsize=64)
def edge_text(house_edge_ppm: int) -> str:
    """A house edge as a decimal text such as ``0.05``."""
    return f"{(Decimal(house_edge_ppm) / PPM).normalize():f}"


OF_USERS = """
SELECT id, platform_id, pseudonym FROM users
WHERE id IN (SELECT CAST(value AS BIGINT) FROM {rows}(:users) AS these)
"""


class Pseudonyms:
    """The names of players in the log: an HMAC of their platform ids, which hides these.

    Its key is drawn with the database and kept in it. So it survives a change of SECRET_KEY. A player whose
    platform id was erased, or had another owner before, has the name in the row (``users.pseudonym``).
    """

    def __init__(self) -> None:
        self._of_users: LRUCache[int, str] = LRUCache(maxsize=REMEMBERED)

    def of(self, platform_id: str) -> str:
        """The pseudonym that follows from a platform id: 32 hexadecimal digits."""
        return hmac.digest(self._key, platform_id.encode(), "sha256").hex()[:32]

    def of_user(self, user_id: int) -> str:
        """The pseudonym of the player with this internal id."""
        pseudonym = self._of_users.get(user_id)
        if pseudonym is None:
            columns: Any = User.select(User.platform_id, User.pseudonym)
            with reading():
                platform_id, stored = columns.where(User.id == user_id).tuples().get()
            pseudonym = self._of_users[user_id] = stored or self.of(platform_id)
        return pseudonym

    def of_users(self, user_ids: Sequence[int]) -> dict[int, str]:
        """The pseudonyms of these players by their internal ids, with one query."""
        with reading():
            found = execute(OF_USERS, {"users": json.dumps(user_ids)}).fetchall()
        return {user_id: stored or self.of(platform_id) for user_id, platform_id, stored in found}

    def forget(self) -> None:
        """Forget what was read from the database, which was replaced."""
        self._of_users.clear()
        self.__dict__.pop("_key", None)

    @cached_property
    def _key(self) -> bytes:
        with reading():
            return bytes.fromhex(Log.select(Log.player_key).scalar())
