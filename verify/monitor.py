"""Monitor the public log of bets of a platform. Needs Python 3.11 or later and the package cryptography.

    monitor.py https://play.example.com/log --state FILE [--key VKEY] [--once] [--compare FILE|URL]

To verify the beacons of battles it also needs py-arkworks-bls12381 0.5.0 or later.

It reads every entry of the log and every revealed bet, and trusts nothing that the server says but the first
key, unless --key gives it. It prints a line for each contradiction, which a signature of the log proves:

- a signed tree that does not continue what was signed before, or another history of the same size
- a signed log that stays smaller than it was for half a minute
- a bet whose nonce is not the next of its player, or whose commitment is not the one announced before
- a commitment that two bets have, was redrawn outside of an epoch of redraws, or twice in one
- an entry that is malformed, or whose terms do not fit each other
- a battle that is locked twice, ended twice or not at all, or decided by another round than its lock says
- a battle that was settled although its lock came after the round, as far as this monitor or the log shows
- a battle that is void for a reason that the log, this monitor or a relay of drand refutes
- a checkpoint that a witness has cosigned and that is not in the tree, or that the log does not reach

It prints a problem for what the server says without a signature. Problems are checked again each time:

- a bet that is not revealed a minute after its proof was due, or a bet of the live feed without an entry
- a revealed bet or battle that differs from what the entries and the seeds say

Everything else is "not checked": a failure of the network or the server, a missing tile, a file that no known
key has signed, an entry of a later format, a cosignature that is missing or late. That proves nothing.

It reports announced keys and successors of the log, and prints wagers, payouts and the return to player
beside the theoretical one. --compare holds the log against a checkpoint that somebody else has seen: only so
can you find out that others are shown another history. It may be older than a rotation of the key:
--earlier-key gives an earlier key, if the log did not announce it.

Witnesses do so all the time: they cosign a checkpoint only if it continues what they cosigned before. With
--witness (the verifier key of one; may be repeated) the newest witnessed checkpoint of the log must have the
cosignatures of --quorum of them, more than half if it is left out. With the URL of the witness behind its key
this monitor also asks the witness itself. Get the keys from those who run the witnesses, not from the house.
A cosignature shows, by the witness's clock, that the lock of a battle came before its round.

A battle is decided by a round of drand, six seconds or more after its lock. As soon as the log has battles,
this monitor also reads the checkpoint at the time of each round, so that the house can't see a round before
it locks. So it must run without --once to find that. It counts void battles, and who would have won them.
--beacons names the relays of the network; those of drand's public network are built in.

FILE keeps what was seen. It also keeps the contradictions, so that a later run reports them again, and the
signed checkpoints that prove them. Without --once the log is read every 10 seconds. A log that changed its
key while nobody watched needs --key again. The clock of this machine must be right: where there are battles
it is compared with the beacons.

Exit status: 1 if there is a contradiction or a problem, 2 if something was not checked, otherwise 0.
"""

from __future__ import annotations

import argparse
import binascii
import hashlib
import hmac
import http.client
import json
import os
import re
import socket
import sys
import threading
import time
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from decimal import Decimal
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

try:
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
except ImportError:
    # cryptography before 47. Cosignatures of this type are not checked then.
    MLDSA44PublicKey = None  # type: ignore[assignment, misc]

try:
    from py_arkworks_bls12381 import GT, G1Point, G2Point
except ImportError:
    # Beacons are not verified then, and the monitor says so.
    GT = G1Point = G2Point = None  # type: ignore[assignment, misc]

POLL_SECONDS = 10
LATE_MS = 60_000
"""How much later than it was due a bet may be revealed."""

LOCK_MS = 6_000
"""How long after its lock the round of a battle is published, at least."""

DECIDED_MS = 3_000
"""A lock that could be read so long before its round must not be called late."""

BEACON_MS = 24 * 60 * 60 * 1000
"""How long after its round a battle may wait for the beacon."""

RELAYS = ("https://api.drand.sh", "https://drand.cloudflare.com", "https://api2.drand.sh")
RELAY_SECONDS = 5
CLOCK_SLOW_MS = 1_000
"""How early a beacon may come by the clock of this machine."""

CLOCK_FAST_MS = 2_000
"""How long after the next round the newest beacon of all relays may be the one before."""

CLOCK_CHECKED_SECONDS = 60
GLANCE_MS = 10
"""How long after the time of a round the checkpoint is read."""

VOIDS_ASKED = 100
"""Of how many battles that wait or are void the beacons are looked up at each reading."""

BATTLES_KEPT = 1_000

WITNESSED_MS = 120_000
"""How long an entry may wait to be witnessed."""

WITNESS_SECONDS = 5

MAX_PROOF_DELAY_SECONDS = 600
REQUEST_SECONDS = 60
ATTEMPTS = 3

ASK_SECONDS = 5
ASKED_AGAIN = 7
"""How often a checkpoint is read again that is smaller than one that was signed: over half a minute."""

JSON_BYTES = 1_000_000
NOTE_BYTES = 256 * 1024
REVEALED_BYTES = 64_000_000
SNAPSHOT_BYTES = 10_000_000
SNAPSHOTS_KEPT = 200
LINES_KEPT = 1_000

WIDTH = 256
"""How many hashes or entries a full tile has."""

HASH_BYTES = 32
BUNDLE_BYTES = WIDTH * (2 + 65_535)

MAX_INTEGER = 2**53 - 1
"""The largest integer of canonical JSON."""

Json = Any
Now = Callable[[], float]
Pause = Callable[[float], None]
Edge = list[bytes]
"""The hashes of the rightmost, partial tile of each level; empty where the level has full tiles only."""


class Contradiction(Exception):
    """What a key of the log has signed contradicts itself, or its format."""


class NotChecked(Exception):
    """Something is missing, was not signed, or is of a later format. That proves nothing."""


# BEGIN of the rules, which generate.py copies from services/bets, log, battles and beacon.

CLIENT_SEED = re.compile(r"[A-Za-z0-9_-]{4,64}", re.ASCII)


ROLL_RANGE = 10_000_000
"""Rolls are whole numbers from 0 to ROLL_RANGE - 1; each is worth 0.00001 percent."""

PPM = 1_000_000

TICKET_RANGE = 10**18
"""Tickets are whole numbers from 0 to TICKET_RANGE - 1."""

ROUND = 0
"""A bet has one round, whose number is part of the digest's message."""

SERVER_SEED = re.compile(r"[0-9a-f]{64}", re.ASCII)

WHOLE = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
"""A number in a snapshot."""

canonical_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


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


EMPTY_ROOT = sha256().digest()
"""The root of a tree without leaves."""


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry of the log."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node from the hashes of its two children."""
    return sha256(b"\x01" + left + right).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """The root above these leaf hashes: MTH of RFC 6962, section 2.1.

    Hashes in pairs, level by level. A last hash without a neighbour moves up unchanged, which gives the
    same tree as the recursive definition.
    """
    if not leaves:
        return EMPTY_ROOT
    hashes = leaves
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=False)
        unpaired = hashes[len(hashes) & ~1 :]
        hashes = [*(node_hash(left, right) for left, right in pairs), *unpaired]
    return hashes[0]


NORMAL, JACKPOT, SHARED = "normal", "jackpot", "shared"

MODES = (NORMAL, JACKPOT, SHARED)

TEAMS = {
    "1v1": (1, 1),
    "1v1v1": (1, 1, 1),
    "1v1v1v1": (1, 1, 1, 1),
    "1v1v1v1v1v1": (1, 1, 1, 1, 1, 1),
    "2v2": (2, 2),
    "3v3": (3, 3),
    "2v2v2": (2, 2, 2),
}
"""How many seats each team has. The seats of a team follow each other."""


class Draws:
    """The random numbers of one battle."""

    def __init__(self, *, server_seed: str, lock_hash: str, randomness: str) -> None:
        """``lock_hash`` is the leaf hash of the lock entry in the log, ``randomness`` the beacon's; hex."""
        self._key = server_seed.encode()
        self._context = f"battle-1:{lock_hash}:{randomness}"

    def below(self, a: object, b: int, n: int) -> int:
        """A whole number from 0 to n - 1, uniformly distributed."""
        digest = hmac.digest(self._key, f"{self._context}:{a}:{b}".encode(), hashlib.sha256)
        return int.from_bytes(digest, "big") * n >> 256

    def ticket(self, *, seat: int, case: int) -> int:
        """The ticket of a seat in a case."""
        return self.below(seat, case, TICKET_RANGE)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """How a battle is decided. ``teams`` is a key of TEAMS."""

    mode: str
    teams: str
    crazy: bool = False
    terminal: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError if there is no such battle."""
        if self.mode not in MODES or self.teams not in TEAMS:
            raise ValueError("no such mode or teams")
        if self.mode == SHARED and (self.crazy or self.terminal or max(TEAMS[self.teams]) > 1):
            raise ValueError("a shared battle has one seat a team, and is neither crazy nor terminal")

    @property
    def team_of_seats(self) -> list[int]:
        """The team of each seat."""
        return [team for team, seats in enumerate(TEAMS[self.teams]) for _ in range(seats)]


class Decision(NamedTuple):
    """Who gets the pot."""

    values: list[int]
    """Of each team, in cents: what counts for the mode."""
    tie: list[int] | None
    """The teams with the same best value, among which a draw has decided."""
    winners: list[int]
    """The teams that get the pot."""
    payouts_cents: list[int]
    """Of each seat."""


def decide(rules: Rules, drawn_cents: Sequence[Sequence[int]], draws: Draws) -> Decision:
    """Decide a battle. ``drawn_cents`` has, for each seat, the price of its item in each case."""
    team_of_seats = rules.team_of_seats
    values = [0] * len(TEAMS[rules.teams])
    for team, prices in zip(team_of_seats, drawn_cents, strict=True):
        values[team] += prices[-1] if rules.terminal else sum(prices)
    tie = None
    if rules.mode == SHARED:
        winners = list(range(len(values)))
    elif rules.mode == JACKPOT:
        winners = [_draw_by_weight(draws, "jackpot", _jackpot_weights(values, crazy=rules.crazy))]
    else:
        best = min(values) if rules.crazy else max(values)
        winners = [team for team, value in enumerate(values) if value == best]
        if len(winners) > 1:
            tie = winners
            winners = [tie[draws.below("tie", 0, len(tie))]]
    pot_cents = sum(map(sum, drawn_cents))
    winning_seats = [seat for seat, team in enumerate(team_of_seats) if team in winners]
    shares = _equal_shares(pot_cents, len(winning_seats), draws)
    payouts_cents = [0] * len(team_of_seats)
    for seat, share in zip(winning_seats, shares, strict=True):
        payouts_cents[seat] = share
    return Decision(values, tie, winners, payouts_cents)


def _jackpot_weights(values: Sequence[int], *, crazy: bool) -> list[int]:
    weights = [sum(values) - value for value in values] if crazy else list(values)
    return weights if any(weights) else [1] * len(weights)


def _draw_by_weight(draws: Draws, name: str, weights: Sequence[int]) -> int:
    drawn = draws.below(name, 0, sum(weights))
    return next(place for place, end in enumerate(accumulate(weights)) if drawn < end)


def _equal_shares(cents: int, seats: int, draws: Draws) -> list[int]:
    """The same for each seat. Cents that are left over go one by one to seats from a drawn one on."""
    share, rest = divmod(cents, seats)
    first = draws.below("rest", 0, seats)
    return [share + ((seat - first) % seats < rest) for seat in range(seats)]


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


# END of the rules.


# --- Requests ---------------------------------------------------------------------------------------------


class Web:
    """Reads URLs with a bound on time and size. It follows no redirect."""

    def __init__(self, pause: Pause, *, attempts: int = ATTEMPTS, seconds: float | None = None) -> None:
        self.pause = pause
        self._attempts = attempts
        self._seconds = seconds
        self._connections: dict[tuple[str, str], http.client.HTTPConnection] = {}

    def get(self, url: str, limit: int) -> bytes | None:
        """The body, None where there is none. Raises NotChecked."""
        failure = ""
        for attempt in range(self._attempts):
            if attempt:
                self.pause(attempt)
            try:
                status, body = self._request(url, limit)
            except (OSError, http.client.HTTPException, zlib.error) as problem:
                self.close()
                failure = str(problem) or type(problem).__name__
                continue
            if status == http.HTTPStatus.OK:
                if len(body) > limit:
                    raise NotChecked(f"{url} has more than {limit} bytes")
                return body
            if status in (http.HTTPStatus.NOT_FOUND, http.HTTPStatus.GONE):
                return None
            failure = f"status {status}"
        raise NotChecked(f"{url}: {failure}")

    def json(self, url: str, limit: int = JSON_BYTES) -> Json:
        """The value of a JSON document; fractions are Decimals. Raises NotChecked."""
        body = self.get(url, limit)
        if body is None:
            raise NotChecked(f"{url} is missing")
        try:
            return json.loads(body.decode(), parse_float=Decimal)
        except (ValueError, ArithmeticError, RecursionError):
            raise NotChecked(f"{url} is not JSON") from None

    def close(self) -> None:
        while self._connections:
            self._connections.popitem()[1].close()

    def _request(self, url: str, limit: int) -> tuple[int, bytes]:
        parts = urlsplit(url)
        connection = self._connection(parts.scheme, parts.netloc)
        if connection.sock is None:
            connection.connect()
        # The timeout of a socket bounds each read only, and a server could send a byte at a time.
        watchdog = threading.Timer(self._seconds or REQUEST_SECONDS, _hang_up, [connection.sock])
        watchdog.daemon = True
        watchdog.start()
        try:
            path = parts.path + (f"?{parts.query}" if parts.query else "")
            connection.request("GET", path or "/", headers={"Accept-Encoding": "gzip, identity"})
            response = connection.getresponse()
            body = response.read(limit + 1)
        finally:
            watchdog.cancel()
        if not response.isclosed():
            connection.close()
        if response.length and len(body) <= limit:
            raise http.client.HTTPException("the answer is cut off")
        if response.getheader("Content-Encoding") == "gzip" and len(body) <= limit:
            body = zlib.decompressobj(wbits=31).decompress(body, limit + 1)
        return response.status, body

    def _connection(self, scheme: str, netloc: str) -> http.client.HTTPConnection:
        if (scheme, netloc) not in self._connections:
            kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
            self._connections[scheme, netloc] = kind(netloc, timeout=self._seconds or REQUEST_SECONDS)
        return self._connections[scheme, netloc]


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


# --- Keys and checkpoints (c2sp.org/signed-note, c2sp.org/tlog-checkpoint) --------------------------------

ED25519 = b"\x01"
KEY_ID_BYTES = 4
MAX_SIGNATURES = 100
KEY_NAME = re.compile(r"[^\s+]+")
KEY_ID = re.compile("[0-9a-f]{8}")
SIGNATURE_LINE = re.compile(r"— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})")
CONTROL_CHARACTER = re.compile(r"[\x00-\x09\x0b-\x1f]")
SIZE = re.compile("0|[1-9][0-9]{0,17}")


@dataclass(frozen=True)
class Checkpoint:
    """A signed checkpoint. ``signers`` are the known public keys that signed it."""

    origin: str
    size: int
    root: bytes
    signers: frozenset[str]
    note: str


def key_id(name: str, public_key: bytes) -> bytes:
    return sha256(name.encode() + b"\n" + ED25519 + public_key).digest()[:4]


def parse_key(text: str) -> tuple[str, str]:
    """Name and public key (base64) of a verifier key.

    Raises Contradiction for any other text, and NotChecked for a key with another type of signatures.
    """
    name, _, rest = text.partition("+")
    hexadecimal, _, encoded = rest.partition("+")
    key = _from_base64(encoded)
    if KEY_NAME.fullmatch(name) and KEY_ID.fullmatch(hexadecimal) and key and key[:1] != ED25519:
        raise NotChecked(f"a verifier key of a later type: {text[:200]!r}")
    is_valid = KEY_NAME.fullmatch(name) and len(key) == 1 + HASH_BYTES
    if not is_valid or key_id(name, key[1:]).hex() != hexadecimal:
        raise Contradiction(f"not an Ed25519 verifier key: {text[:200]!r}")
    return name, b64encode(key[1:]).decode()


def open_checkpoint(note: bytes, origin: str, keys: list[str]) -> Checkpoint:
    """The checkpoint in a note that one of the keys has signed for this origin.

    Raises NotChecked if none has, and Contradiction if one has signed what is no checkpoint.
    """
    text, lines, signatures = split_note(note)
    if lines[0] != origin:
        raise NotChecked(f"the checkpoint is of {lines[0][:200]!r}, not of {origin!r}")
    known = {key_id(origin, b64decode(key)): key for key in keys}
    signers = set()
    for name, signature in signatures:
        key = known.get(signature[:KEY_ID_BYTES])
        if name != origin or key is None:
            continue
        try:
            public_key = Ed25519PublicKey.from_public_bytes(b64decode(key))
            public_key.verify(signature[KEY_ID_BYTES:], text.encode())
        except (InvalidSignature, ValueError):
            raise NotChecked(f"a checkpoint of {origin} has a wrong signature") from None
        signers.add(key)
    if not signers:
        raise NotChecked(f"a checkpoint of {origin} is not signed by a known key: give --key")
    root = _from_base64(lines[2]) if len(lines) > 2 else b""  # noqa: PLR2004
    if len(root) != HASH_BYTES or not SIZE.fullmatch(lines[1]) or not all(lines):
        raise Contradiction(f"a checkpoint of {origin} is malformed")
    return Checkpoint(origin, int(lines[1]), root, frozenset(signers), note.decode())


def split_note(note: bytes) -> tuple[str, list[str], list[tuple[str, bytes]]]:
    """The signed text, its lines, and names and bytes of the signatures. Raises NotChecked."""
    try:
        content = note.decode()
    except UnicodeDecodeError:
        raise NotChecked("a note is not UTF-8") from None
    text, separator, block = content.rpartition("\n\n")
    signature_lines = block.removesuffix("\n").split("\n")
    matches = [SIGNATURE_LINE.fullmatch(line) for line in signature_lines[: MAX_SIGNATURES + 1]]
    signatures = [(match[1], _from_base64(match[2])) for match in matches if match]
    if not (
        separator
        and block.endswith("\n")
        and len(note) <= NOTE_BYTES
        and len(signatures) == len(signature_lines) <= MAX_SIGNATURES
        and all(len(signature) > KEY_ID_BYTES for _, signature in signatures)
        and not CONTROL_CHARACTER.search(content)
    ):
        raise NotChecked("a checkpoint is not a signed note")
    return f"{text}\n", text.split("\n"), signatures


def _from_base64(text: str) -> bytes:
    """The bytes; none if the text is not canonical base64."""
    try:
        decoded = b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return decoded if b64encode(decoded).decode() == text else b""


# --- Witnesses (c2sp.org/tlog-witness, c2sp.org/tlog-cosignature) -----------------------------------------

COSIGNERS = {4: 32, 6: 1_312}
"""The types of keys that cosign, Ed25519 and ML-DSA-44, and how many bytes a public key of each has."""

LATEST_SECONDS = 2**53 // 1_000


class Witness:
    """Somebody who cosigns a checkpoint only if it continues what was cosigned before."""

    def __init__(self, key: str) -> None:
        """``key`` is a verifier key. Raises ValueError for any other text."""
        self.name, _, rest = key.partition("+")
        id_, _, encoded = rest.partition("+")
        typed = b64decode(encoded, validate=True) or b"\0"
        self.id = sha256(f"{self.name}\n".encode() + typed).digest()[:4]
        is_named = re.fullmatch(r"[^\s+]+", self.name) and self.id.hex() == id_
        if not is_named or len(typed) - 1 != COSIGNERS.get(typed[0]) or b64encode(typed).decode() != encoded:
            raise ValueError(f"not the verifier key of a witness: {key[:100]!r}")
        self.type, self.public_key = typed[0], typed[1:]

    def cosigned_at(self, text: str, signatures: Iterable[tuple[str, bytes]]) -> int | None:
        """When it has cosigned the checkpoint with this text, in Unix milliseconds; None if it has not.

        ``signatures`` are the names and the bytes of the signatures below the text. Raises ValueError if the
        witness did not make the one that is said to be its own, and NotImplementedError without the library.
        """
        times = []
        for name, signature in signatures:
            if name == self.name and signature[:4] == self.id:
                seconds = int.from_bytes(signature[4:12], "big")
                if not self._is_right(signature[12:], seconds, text) or not 0 < seconds <= LATEST_SECONDS:
                    raise ValueError(f"a cosignature of {self.name} is not right")
                times.append(seconds * 1_000)
        return min(times, default=None)

    def _is_right(self, signature: bytes, seconds: int, text: str) -> bool:
        key: Any = Ed25519PublicKey if self.type == min(COSIGNERS) else MLDSA44PublicKey
        if key is None:
            raise NotImplementedError(
                f"cosignatures of {self.name} need the package cryptography, 47 or later"
            )
        try:
            key.from_public_bytes(self.public_key).verify(signature, self._message(seconds, text))
        except UnsupportedAlgorithm:
            raise NotImplementedError(f"this cryptography has no ML-DSA-44, for {self.name}") from None
        except (InvalidSignature, ValueError):
            return False
        return True

    def _message(self, seconds: int, text: str) -> bytes:
        """What is signed. Raises ValueError if there is none."""
        if self.type == min(COSIGNERS):
            return f"cosignature/v1\ntime {seconds}\n{text}".encode()
        origin, size, root = text.split("\n")[:3]
        names = [bytes([len(name.encode())]) + name.encode() for name in (self.name, origin)]
        start_and_end = bytes(8) + int(size).to_bytes(8, "big")
        parts = [b"subtree/v1\n\0", names[0], seconds.to_bytes(8, "big"), names[1], start_and_end]
        return b"".join(parts) + b64decode(root)


def time_text(ms: int) -> str:
    """A moment in UTC, such as 2026-01-31T12:00:00Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ms / 1_000))


# --- The tree (RFC 6962 section 2.1, c2sp.org/tlog-tiles) -------------------------------------------------


def split_tile(tile: bytes) -> list[bytes]:
    return [tile[start : start + HASH_BYTES] for start in range(0, len(tile), HASH_BYTES)]


def edge_root(edge: Edge) -> bytes:
    """The root of a tree: each tile of its right edge ends with the root of the one below."""
    root = b""
    for tile in edge:
        hashes = split_tile(tile) + ([root] if root else [])
        root = root_of(hashes) if hashes else b""
    return root or EMPTY_ROOT


def edge_places(size: int) -> list[tuple[int, int, int]]:
    """Level, number and width of the rightmost tile of each level, which is partial or empty."""
    levels = range(-(-size.bit_length() // 8))
    return [(level, size >> 8 * (level + 1), (size >> 8 * level) % WIDTH) for level in levels]


def tile_path(number: int) -> str:
    """x001/x234/067 for 1234067."""
    path = f"{number % 1000:03}"
    while number := number // 1000:
        path = f"x{number % 1000:03}/{path}"
    return path


class Tree:
    """The tree of a checkpoint. Each tile is checked against the one above it, the top against the root."""

    def __init__(self, web: Web, prefix: str, checkpoint: Checkpoint) -> None:
        self._web, self._prefix = web, prefix
        self.size = checkpoint.size
        self._tiles: dict[int, tuple[int, bytes]] = {}
        self._bundle: tuple[int, list[bytes]] = (-1, [])
        self.edge = [self._fetch(*place) for place in edge_places(self.size)]
        if edge_root(self.edge) != checkpoint.root:
            raise NotChecked(f"the tiles of size {self.size} do not have the root of the checkpoint")

    def tile(self, level: int, number: int) -> bytes:
        """The hashes of a tile that the tree has. Raises NotChecked if it is missing, or another."""
        if number == self.size >> 8 * (level + 1):
            return self.edge[level]
        if self._tiles.get(level, (-1, b""))[0] != number:
            hashes = self._fetch(level, number, WIDTH)
            place = number % WIDTH * HASH_BYTES
            if (
                root_of(split_tile(hashes))
                != self.tile(level + 1, number // WIDTH)[place : place + HASH_BYTES]
            ):
                raise NotChecked(f"tile {level}/{number} does not have the root that the tile above says")
            self._tiles[level] = number, hashes
        return self._tiles[level][1]

    def entries(self, number: int) -> list[bytes]:
        """The entries of a bundle. Raises NotChecked if it is missing, or another."""
        if self._bundle[0] != number:
            width = min(WIDTH, self.size - number * WIDTH)
            entries = _split_bundle(self._resource("entries", number, width, BUNDLE_BYTES))
            if entries is None or len(entries) not in (width, WIDTH):
                raise NotChecked(f"bundle {number} does not have {width} entries")
            tile = self.tile(0, number)
            for place, (entry, expected) in enumerate(zip(entries[:width], split_tile(tile), strict=False)):
                if leaf_hash(entry) != expected:
                    raise NotChecked(f"entry {number * WIDTH + place} is not the one in the tree")
            self._bundle = number, entries[:width]
        return self._bundle[1]

    def edge_at(self, size: int) -> Edge:
        """The right edge that the tree had with this size, which is at most its own."""
        places = edge_places(size)
        return [self.tile(level, number)[: width * HASH_BYTES] for level, number, width in places]

    def agrees(self, edge: Edge, size: int, up_to: int) -> bool:
        """Whether the tree has the hashes of an edge of this size, except those of entries from ``up_to``."""
        for level, hashes in enumerate(edge):
            number = size >> 8 * (level + 1)
            end = min(len(hashes), max(0, (up_to >> 8 * level) - number * WIDTH) * HASH_BYTES)
            if end and self.tile(level, number)[:end] != hashes[:end]:
                return False
        return True

    def _fetch(self, level: int, number: int, width: int) -> bytes:
        if width == 0:
            return b""
        hashes = self._resource(str(level), number, width, WIDTH * HASH_BYTES)
        if len(hashes) not in (width * HASH_BYTES, WIDTH * HASH_BYTES):
            raise NotChecked(f"tile {level}/{number} does not have {width} hashes")
        return hashes[: width * HASH_BYTES]

    def _resource(self, level: str, number: int, width: int, limit: int) -> bytes:
        """A tile or bundle. The full one stands in for a partial one that the log has deleted since."""
        url = f"{self._prefix}/tile/{level}/{tile_path(number)}"
        body = self._web.get(f"{url}.p/{width}", limit) if width < WIDTH else None
        if body is None:
            body = self._web.get(url, limit)
        if body is None:
            raise NotChecked(f"{url} with {width} hashes or entries is missing")
        return body


def _split_bundle(bundle: bytes) -> list[bytes] | None:
    """The entries, each of which has its length in front. None if they end within one."""
    entries, place = [], 0
    while place < len(bundle):
        start = place + 2
        place = start + int.from_bytes(bundle[place:start], "big")
        entries.append(bundle[start:place])
    return entries if place == len(bundle) else None


# --- Entries ----------------------------------------------------------------------------------------------

SPIN = "upgrader-1"
GAMES = {SPIN: "upgrader", "case-1": "case", "irl-1": "irl"}
"""The game of each algorithm. A ticket's message begins with it."""


def _text(pattern: str) -> Callable[[Any], bool]:
    matches = re.compile(pattern).fullmatch
    return lambda value: isinstance(value, str) and matches(value) is not None


def _integer(least: int) -> Callable[[Any], bool]:
    return lambda value: type(value) is int and least <= value <= MAX_INTEGER


def _is_bool(value: Any) -> bool:
    return type(value) is bool


def _is_list(of: Callable[[Any], bool], least: int, most: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(map(of, value))


def _has_keys(*names: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and tuple(value) == names and _are_valid(value)


IS_HASH = _text("[0-9a-f]{64}")
IS_ID = _text("[0-9]{1,19}")
IS_INDEX = _integer(0)
TERMS = {("algorithm", "edge", "item", "price", "threshold", "wager"), ("algorithm", "snapshot", "wager")}
VALID: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("at", "events", "kept", "lock", "price", "redraw", "size", "team", "wager"), IS_INDEX),
    **dict.fromkeys(("nonce", "round", "threshold"), _integer(1)),
    **dict.fromkeys(("audit", "battle", "chain", "commitment", "next", "seed", "snapshot"), IS_HASH),
    **dict.fromkeys(("crazy", "playersOnly", "terminal"), _is_bool),
    "beacon": _has_keys("chain", "round"),
    "cases": _is_list(IS_HASH, 1, 50),
    "mode": _text("|".join(MODES)),
    "seats": _is_list(_has_keys("clientSeed", "player", "team"), 2, 6),
    "signature": _text(SIGNATURE.pattern),
    **dict.fromkeys(("item", "reason"), _text("(?s).{1,1000}")),
    **dict.fromkeys(("key", "nextKey"), _text(r"[^\s]{1,5000}")),
    "forkOf": _text(r"[^\s]{1,500}"),
    "algorithm": _text("|".join(GAMES)),
    "clientSeed": _text(CLIENT_SEED.pattern),
    "edge": _text(r"0(\.[0-9]{1,6})?"),
    "game": _text("|".join(GAMES.values())),
    "player": _text("[0-9a-f]{32}|bot"),
    "root": lambda value: isinstance(value, str) and len(_from_base64(value)) == HASH_BYTES,
    "terms": lambda value: isinstance(value, dict) and tuple(value) in TERMS and _are_valid(value),
    "v": lambda value: type(value) is int and value in (1, 2),
}
"""What the fields of entries and terms may hold."""

KINDS = {
    ("at", "clientSeed", "commitment", "game", "next", "nonce", "player", "terms", "v"): "bet",
    ("at", "commitment", "nonce", "player", "reason", "v"): "commitment",
    ("at", "commitment", "nonce", "player", "reason", "redraw", "v"): "redrawn",
    ("at", "reason", "redraw", "v"): "epoch",
    ("at", "forkOf", "kept", "root", "size", "v"): "fork",
    ("at", "nextKey", "v"): "key",
    ("at", "key", "nextKey", "v"): "key",
    ("at", "audit", "events", "v"): "audit",
    (
        "at",
        "battle",
        "beacon",
        "cases",
        "commitment",
        "crazy",
        "mode",
        "playersOnly",
        "seats",
        "terminal",
        "v",
    ): "lock",
    ("at", "battle", "lock", "seed", "signature", "v"): "end",
    ("at", "battle", "lock", "reason", "seed", "v"): "void",
}
VERSION = 2
SECOND_VERSION = ("audit", "lock", "end", "void")
"""The kinds of entries of version 2."""

BOT = "bot"
"""In the place of the pseudonym of a player."""


def parse_entry(raw: bytes) -> tuple[str, dict[str, Any]]:
    """Kind and content of an entry; the kind is "later" if it is of a later format. Raises Contradiction."""
    try:
        entry = json.loads(raw.decode())
        version = within(entry, "v")
        is_known = version != VERSION or "audit" in entry or "battle" in entry
        if type(version) is int and (version > VERSION or not is_known):
            return "later", entry
        is_canonical = canonical_json(entry).encode() == raw
    except (ValueError, RecursionError):
        raise Contradiction("is not JSON") from None
    if not is_canonical:
        raise Contradiction("is not canonical JSON")
    kind = KINDS.get(tuple(entry)) if isinstance(entry, dict) else None
    is_valid = kind and _are_valid(entry) and entry["v"] == (VERSION if kind in SECOND_VERSION else 1)
    if kind is None or not is_valid or (kind != "lock" and entry.get("player") == BOT):
        raise Contradiction("has no known form")
    return kind, entry


def _are_valid(values: dict[str, Any]) -> bool:
    return all(VALID[name](value) for name, value in values.items())


def wrong_terms(entry: dict[str, Any]) -> str | None:
    """What is wrong with a bet's terms alone."""
    terms = entry["terms"]
    is_spin = terms["algorithm"] == SPIN
    if GAMES[terms["algorithm"]] != entry["game"] or is_spin != ("edge" in terms):
        return f"the terms are not those of the game {entry['game']}"
    if is_spin and not 0 < terms["wager"] < terms["price"]:
        return "the wager is not between 0 and the price"
    if is_spin:
        edge_ppm = int(terms["edge"].partition(".")[2].ljust(6, "0"))
        wins_below = threshold(
            wager_cents=terms["wager"], price_cents=terms["price"], house_edge_ppm=edge_ppm
        )
        if terms["threshold"] != wins_below:
            return f"the threshold is {terms['threshold']}, not {wins_below}"
    return None


class Commitments:
    """The announced commitment of each player, and what contradicts it."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._owners = {known[1]: player for player, known in state.players.items()}
        self._owners |= {entry["commitment"]: entry["player"] for _, entry in state.waiting.values()}

    def bet(self, entry: dict[str, Any]) -> str | None:
        player, nonce = entry["player"], entry["nonce"]
        known = self.state.players.get(player)
        owner = self._announce(player, nonce + 1, entry["next"], known[2] if known else 0)
        if known is None:
            return f"player {player} bets without an announced commitment"
        if nonce < known[0]:
            return f"player {player} has nonce {nonce} again, the next is {known[0]}"
        if nonce > known[0]:
            return f"player {player} has nonce {nonce}, but {known[0]} is missing"
        if entry["commitment"] != known[1]:
            return f"player {player} bets on a commitment that is not the one announced for nonce {nonce}"
        return owner

    def commitment(self, entry: dict[str, Any]) -> str | None:
        """The first commitment of a player."""
        player, reason = entry["player"], entry["reason"]
        if reason != "new":
            return f"a commitment of player {player} has the reason {reason[:100]!r}"
        if player in self.state.players:
            return f"player {player} is new a second time"
        owner = self._announce(player, entry["nonce"], entry["commitment"], self.state.epoch)
        if entry["nonce"] != 1:
            return f"player {player} is new, but begins with nonce {entry['nonce']}"
        return owner

    def redrawn(self, entry: dict[str, Any]) -> str | None:
        player, epoch = entry["player"], entry["redraw"]
        known = self.state.players.get(player)
        owner = self._announce(player, entry["nonce"], entry["commitment"], epoch)
        if known is None or entry["reason"] != "redrawn":
            return f"a commitment of player {player} is redrawn, but none was announced"
        self._owners.pop(known[1], None)
        if epoch != self.state.epoch or epoch == 0:
            return f"a commitment of player {player} is redrawn outside of an epoch of redraws"
        if known[2] == epoch:
            return f"a commitment of player {player} is redrawn a second time in epoch {epoch}"
        if entry["nonce"] != known[0]:
            return f"a redraw changes the nonce of player {player} from {known[0]} to {entry['nonce']}"
        return owner

    def reveal(self, entry: dict[str, Any]) -> None:
        """Forget the commitment of a bet whose seed is known now."""
        self._owners.pop(entry["commitment"], None)

    def is_announced(self, commitment: str) -> bool:
        """Whether a player has this commitment, whose seed is still secret."""
        return commitment in self._owners

    def _announce(self, player: str, nonce: int, commitment: str, epoch: int) -> str | None:
        """Note a player's next commitment. It must not be one whose seed is still secret."""
        self.state.players[player] = nonce, commitment, epoch
        owner = self._owners.get(commitment)
        self._owners[commitment] = player
        return owner and f"player {player} gets a commitment that player {owner} has already"

    def begin_epoch(self, entry: dict[str, Any]) -> str | None:
        last, self.state.epoch = self.state.epoch, max(self.state.epoch, entry["redraw"])
        return None if entry["redraw"] > last else f"epoch {entry['redraw']} of redraws follows epoch {last}"


# --- Outcomes ---------------------------------------------------------------------------------------------


Content = tuple[str, int, list[ContentItem]]
"""A case when it was opened: its id, price and items."""


def outcome_of(
    entry: dict[str, Any], server_seed: str, content: Content | None
) -> tuple[int, int, dict[str, object]]:
    """Recompute a bet from its entry and the server seed; of an opening with the content of the case.

    Returns what it pays, what it pays on average (in 10^-18 cents), and what its public form must say.
    """
    game, terms = entry["game"], entry["terms"]
    seeds = {"server_seed": server_seed, "client_seed": entry["clientSeed"], "nonce": entry["nonce"]}
    if content:
        payout, mean, shown = _opening(terms, content, ticket(game=game, **seeds))
    else:
        payout, mean, shown = _spin(terms, roll(**seeds))
    wager = terms["wager"]
    shown |= {
        "game": game,
        "algorithm": terms["algorithm"],
        "betAmount": coins(wager),
        "payout": coins(payout),
        "multiplier": coins(payout * 100 // wager if wager else 0),
        "status": "won" if payout > wager else "lost",
    }
    return payout, mean, shown


def _spin(terms: dict[str, Any], rolled: int) -> tuple[int, int, dict[str, object]]:
    wins_below, price = terms["threshold"], terms["price"]
    shown = {
        "item": terms["item"],
        "price": f"${price // 100}.{price % 100:02}",
        "houseEdge": Decimal(terms["edge"]),
        "threshold": wins_below,
        "roll": rolled,
        "chance": Decimal(wins_below * 100) / ROLL_RANGE,
    }
    return price if rolled < wins_below else 0, wins_below * price * (TICKET_RANGE // ROLL_RANGE), shown


def _opening(terms: dict[str, Any], content: Content, drawn: int) -> tuple[int, int, dict[str, object]]:
    case, _, items = content
    won = items[winner(drawn, (item.width for item in items))]
    mean = sum(item.price_cents * item.width for item in items)
    shown = {"case": case, "snapshot": terms["snapshot"], "ticket": str(drawn), "item": won.name}
    return won.price_cents, mean, shown


def witnessed_at(lock: dict[str, Any], otherwise: int) -> int:
    """When witnesses had cosigned a lock, by their clocks, or ``otherwise`` if that is not known.

    Neither is it if their clocks are behind: by them the lock was cosigned before it was written, or before a
    checkpoint was read that did not have it.
    """
    at: int = lock["witnessed"][0] if "witnessed" in lock else otherwise
    there_ms = max(lock["entry"]["at"], lock["absent"] or 0)
    return at if at + 1_000 + CLOCK_SLOW_MS > there_ms else otherwise


def wrong_lock(entry: dict[str, Any]) -> str | None:
    """What is wrong with the lock of a battle alone."""
    try:
        rules_of(entry)
    except ValueError:
        return "there is no battle with this mode and these seats"
    players = [seat["player"] for seat in entry["seats"] if seat["player"] != BOT]
    if len(set(players)) < len(players):
        return "a player has two seats"
    if entry["playersOnly"] and len(players) < len(entry["seats"]):
        return "a bot has a seat in a battle for players only"
    return None


def rules_of(entry: dict[str, Any]) -> Rules:
    """The rules that a lock names. Raises ValueError if there are no such ones."""
    teams = [seat["team"] for seat in entry["seats"]]
    for name in TEAMS:
        rules = Rules(mode=NORMAL, teams=name)
        if rules.team_of_seats == teams:
            return Rules(mode=entry["mode"], teams=name, crazy=entry["crazy"], terminal=entry["terminal"])
    raise ValueError("no such teams")


class Battle(NamedTuple):
    """A recomputed battle."""

    drawn: list[list[tuple[ContentItem, int]]]
    """For each seat, the item and the ticket of each case."""
    decision: Decision


def decide_battle(
    entry: dict[str, Any], *, server_seed: str, signature: str, contents: list[Content]
) -> Battle:
    """Recompute a battle from its lock, the server seed, the signature of its round and its cases."""
    draws = Draws(
        server_seed=server_seed,
        lock_hash=leaf_hash(canonical_json(entry).encode()).hex(),
        randomness=sha256(bytes.fromhex(signature)).hexdigest(),
    )
    drawn = []
    for seat in range(len(entry["seats"])):
        tickets = [draws.ticket(seat=seat, case=case) for case in range(len(contents))]
        drawn.append(
            [
                (items[winner(drawn, (item.width for item in items))], drawn)
                for drawn, (_, _, items) in zip(tickets, contents, strict=True)
            ]
        )
    prices = [[item.price_cents for item, _ in items] for items in drawn]
    return Battle(drawn, decide(rules_of(entry), prices, draws))


def shown_battle(battle: Battle) -> dict[str, object]:
    """What the public form of a settled battle must say."""
    return {
        "drawn": [
            [
                {"item": item.name, "price": coins(item.price_cents), "ticket": str(drawn)}
                for item, drawn in items
            ]
            for items in battle.drawn
        ],
        "payouts": [coins(cents) for cents in battle.decision.payouts_cents],
    }


def who_won(entry: dict[str, Any], battle: Battle) -> str:
    """The seats that got something, in words."""
    found = []
    for number, seat in enumerate(entry["seats"]):
        who = "a bot" if seat["player"] == BOT else f"player {seat['player']}"
        if cents := battle.decision.payouts_cents[number]:
            found.append(f"{who} in seat {number} ({coins(cents)})")
    return ", ".join(found) or "nobody"


# --- Beacons ----------------------------------------------------------------------------------------------


def read_chain(info: Json, chain_hash: str) -> Chain | None:
    """The network with this hash, as a relay describes it. None if it describes another one."""
    try:
        chain = Chain(
            public_key=info["public_key"],
            group_hash=info["groupHash"],
            genesis=info["genesis_time"],
            period=info["period"],
            beacon_id=info["metadata"]["beaconID"],
        )
        return chain if chain.hash == chain_hash and chain.period and info["schemeID"] == SCHEME else None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None


def is_genuine(chain: Chain, round_: int, signature: str) -> bool | None:
    """Whether a signature is that of the round. None without the library that can tell."""
    if G1Point is None or not hasattr(G1Point, "hash_to_curve"):
        return None
    try:
        chain.verify(round_, signature)
    except BadBeacon:
        return False
    except ValueError:
        raise NotChecked(f"the key of the network {chain.hash} is no point of the curve") from None
    return True


class Relays:
    """Asks relays of drand for beacons. Without the library their word counts."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._given = bool(urls)
        self._urls = [url.rstrip("/") for url in urls or RELAYS]
        self._web = Web(lambda _: None, attempts=1, seconds=RELAY_SECONDS)

    def serve(self, chain: Chain) -> bool:
        """Whether the relays may have this network: the built-in ones have the public network only."""
        return self._given or chain == QUICKNET

    def signature(self, chain: Chain, round_: int) -> str | None:
        """The signature of a round; None as long as no relay shows it."""
        for document in self._ask(f"{chain.hash}/public/{round_}"):
            signature = within(document, "signature")
            if VALID["signature"](signature) and is_genuine(chain, round_, signature) is not False:
                return str(signature)
        return None

    def newest(self, chain: Chain) -> int | None:
        """The newest round of all relays; None if none answers."""
        rounds = []
        for document in self._ask(f"{chain.hash}/public/latest"):
            round_, signature = within(document, "round"), within(document, "signature")
            is_beacon = VALID["round"](round_) and VALID["signature"](signature)
            if is_beacon and is_genuine(chain, round_, signature) is not False:
                rounds.append(round_)
        return max(rounds, default=None)

    def info(self, chain_hash: str) -> Chain | None:
        """The network with this hash; None if no relay describes it."""
        chains = (read_chain(document, chain_hash) for document in self._ask(f"{chain_hash}/info"))
        return next(filter(None, chains), None)

    def _ask(self, path: str) -> Iterator[Json]:
        for url in self._urls:
            with suppress(NotChecked):
                yield self._web.json(f"{url}/{path}")

    def close(self) -> None:
        self._web.close()


def within(value: Json, *names: str) -> Json:
    """The value under these names, None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def coins(cents: int) -> Decimal:
    return Decimal(cents) / 100


def differences(shown: Json, expected: dict[str, object]) -> Iterator[str]:
    for name, value in expected.items():
        given = within(shown, name)
        if isinstance(given, bool) or given != value:
            said = str(given)[:100] if isinstance(given, str | int | Decimal) else "not given"
            yield f"{name} is {said!r}, not {str(value)[:100]!r}"


# --- What is kept -----------------------------------------------------------------------------------------


STATE_VERSION = 3
SIGNED = ("origin", "keys", "next_key", "checkpoint", "size", "edge", "evidence")
"""What is kept of a state with another version."""


@dataclass
class State:
    """What was seen of the log. ``keys`` are public keys in base64, the current one last."""

    version: int = 0
    """Of this file. The entries are read again when it is another one."""
    origin: str = ""
    keys: list[str] = field(default_factory=list)
    next_key: str | None = None
    checkpoint: str = ""
    size: int = 0
    edge: list[str] = field(default_factory=list)
    """The right edge of the tree of ``size`` entries, each level in hexadecimal."""
    position: int = 0
    """How many entries were read. After an interrupted run it is less than ``size``."""
    epoch: int = 0
    predecessor: dict[str, Any] | None = None
    """Origin, size and edge of the log that this one continues, until the entry that says so."""
    ended: list[str] = field(default_factory=list)
    """The origins of the logs before this one."""
    audited: int = 0
    """How many events of the audit trail the log has anchored."""
    later: list[int] = field(default_factory=list)
    """Index of the first entry of a later format, and how many there are."""
    players: dict[str, tuple[int, str, int]] = field(default_factory=dict)
    """The next nonce of each player, its commitment, and the epoch in which that was last redrawn."""
    waiting: dict[int, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    """The bets that are not revealed yet, by index: when they are due, and their entries."""
    live: list[str] = field(default_factory=list)
    """The ids of the live bets that were checked last."""
    problems: dict[str, list[str]] = field(default_factory=dict)
    """What did not fit the log, by what said so: ``entry 7``, ``the live bet 12``."""
    sums: dict[str, dict[str, int]] = field(default_factory=dict)
    newest_at: int = 0
    """The latest time that an entry names."""
    fork: tuple[int, int] | None = None
    """Index and time of the entry that says which log this one continues."""
    fetched: list[tuple[int, int, int]] = field(default_factory=list)
    """When checkpoints were read: the beginning and the end of the request, and the size."""
    chain: dict[str, Any] | None = None
    """What a relay says of the last network of battles that is not built in."""
    battles: dict[str, tuple[int, int, str]] = field(default_factory=dict)
    """Of each battle the index of its lock, that of its end or -1, and its commitment."""
    locks: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The locks without a checked end, and the newest of the others, by index: see ``Monitor._read_lock``."""
    lost: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The locks that the log before this one had and this one did not keep, by battle."""
    voids: dict[str, dict[str, int]] = field(default_factory=dict)
    """How many battles are void, by reason: all, and those that players or bots would have won."""
    witnessed: dict[str, Any] | None = None
    """The newest witnessed checkpoint: ``size``, and ``times``, of each cosignature the name and the ms."""
    cosigned: list[tuple[int, int, str]] = field(default_factory=list)
    """Of checkpoints that enough witnesses have cosigned: by when, the size, and the note."""
    settled: int = 0
    """How many settled battles were checked, and of how many the lock was witnessed before the round."""
    settled_witnessed: int = 0
    forked: dict[str, Any] | None = None
    """The entry that says which log this one continues."""
    contradictions: list[str] = field(default_factory=list)
    evidence: list[str] = field(default_factory=list)
    """The signed checkpoints on which the log was found to contradict itself."""

    @classmethod
    def load(cls, path: Path) -> State:
        try:
            kept = json.loads(path.read_bytes())
        except FileNotFoundError:
            return cls(version=STATE_VERSION)
        if kept.get("version") != STATE_VERSION:
            kept = {name: kept[name] for name in SIGNED if name in kept} | {"version": STATE_VERSION}
        state = cls(**kept)
        state.players = {player: tuple(known) for player, known in state.players.items()}  # type: ignore[misc]
        state.waiting = {int(index): tuple(waits) for index, waits in state.waiting.items()}  # type: ignore[misc]
        state.locks = {int(index): lock for index, lock in state.locks.items()}
        state.fetched = [tuple(each) for each in state.fetched]  # type: ignore[misc]
        state.cosigned = [tuple(each) for each in state.cosigned]  # type: ignore[misc]
        return state

    def save(self, path: Path) -> None:
        """Replace the file. A crash leaves the old one or the new one."""
        new = path.with_name(f"{path.name}.new")
        with new.open("w", encoding="utf-8") as file:
            file.write(json.dumps({each.name: getattr(self, each.name) for each in fields(self)}))
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)


# --- The monitor ------------------------------------------------------------------------------------------

SUCCESSOR = re.compile(r"(.*?)(-[0-9]+|-[0-9a-f]{8})?", re.DOTALL)
"""The first name of a log, and what its successor has behind it."""


LIVE = "the live bet "
NO_BETS = {"bets": 0, "wagered": 0, "paid": 0, "mean": 0, "freeBets": 0, "freePaid": 0}


def from_hex(levels: list[str]) -> Edge:
    return [bytes.fromhex(level) for level in levels]


def split_name(name: str) -> tuple[str, str]:
    matched = SUCCESSOR.fullmatch(name)
    return (matched[1], matched[2] or "") if matched else (name, "")


class Monitor:
    """Reads a log once at each ``poll``. ``now`` gives the time in seconds, ``pause`` waits for some."""

    def __init__(
        self,
        url: str,
        path: Path,
        now: Now,
        pause: Pause,
        relays: Sequence[str] = (),
        witnesses: Sequence[tuple[Witness, str]] = (),
        quorum: int = 0,
    ) -> None:
        """``witnesses`` have their URLs beside them, or ``""``. ``quorum`` of them must have cosigned."""
        self.first_prefix = split_name(url.rstrip("/"))[0]
        self.site = self.first_prefix.rpartition("/")[0]
        self.path = path
        self.state = State.load(path)
        self.commitments = Commitments(self.state)
        self.battle_commitments = {battle[2] for battle in self.state.battles.values()}
        self.web = Web(pause)
        self.relays = Relays(relays)
        self.witnesses, self.quorum = witnesses, quorum
        self._glanced_witnessed: list[bytes] = []
        self.tree: Tree | None = None
        self._now, self._pause = now, pause
        self._note = ""
        self._proof_delay_ms = MAX_PROOF_DELAY_SECONDS * 1000
        self._contents: dict[str, Content] = {}
        self._unreadable: set[str] = set()
        self._is_checked = True
        self._next_save = 0.0
        self._glanced: list[Checkpoint] = []
        self._page: tuple[int, list[Json]] = (-1, [])
        self._clock_checked_ms = 0
        self._is_clock_right = True
        self._asked = 0
        self._unverified = 0

    @property
    def prefix(self) -> str:
        return self.first_prefix + split_name(self.state.origin)[1]

    @property
    def _all_keys(self) -> list[str]:
        """The keys that have signed, and the announced one."""
        return [*self.state.keys, *filter(None, [self.state.next_key])]

    @property
    def now_ms(self) -> int:
        return int(self._now() * 1000)

    def poll(
        self, key: str | None = None, earlier_keys: Sequence[str] = (), compare: str | None = None
    ) -> bool:
        """Read what is new. False if something could not be checked."""
        self._is_checked = True
        self._unreadable.clear()
        self._page = (-1, [])
        self._asked = self._unverified = 0
        with self._noting():
            self._check_clock()
        with self._noting(proven_by_note=True):
            self._pin(key, earlier_keys)
            live = list(self._live_bets())
            new = [index for bet_id, _, index in live if f"{LIVE}{bet_id}" not in self.state.problems]
            self._read_tree(least=1 + max(new, default=-1))
            self._check_witnessed()
            with self._noting():
                self._read_entries()
                self._check_predecessor()
            self._reveal({index // WIDTH for index in self.state.waiting})
            self._check_battles()
            self._check_live(live)
            with self._noting(proven_by_note=True):
                self._compare(compare)
            self._ask_witnesses()
        self.web.close()
        self.relays.close()
        self._save()
        return self._is_checked

    # What is printed

    def _report(self, line: str) -> None:
        print(f"report: {printable(line)}", flush=True)

    def _contradiction(self, line: str) -> None:
        kept = self.state.contradictions
        line = printable(line) if len(kept) < LINES_KEPT else "there are more, which are not listed"
        if line not in kept:
            kept.append(line)
            self._next_save = 0
            print(f"contradiction: {line}", flush=True)

    def _not_checked(self, line: str) -> None:
        self._is_checked = False
        print(f"not checked: {printable(line)}", file=sys.stderr, flush=True)

    def _problems(self, name: str, lines: list[str]) -> None:
        """What does not fit the log now, instead of what did not before. The server did not sign it."""
        kept = self.state.problems
        before = kept.pop(name, [])
        if lines and len(kept) < LINES_KEPT:
            kept[name] = lines
        for line in lines:
            if line not in before:
                print(f"problem: {printable(f'{name}: {line}')}", flush=True)
        if before and not lines:
            self._report(f"{name} fits the log now")

    @contextmanager
    def _noting(self, *, proven_by_note: bool = False) -> Iterator[None]:
        """Note what is raised. ``proven_by_note``: the last two checkpoints prove it, and are kept."""
        try:
            yield
        except NotChecked as failure:
            self._not_checked(str(failure))
        except Contradiction as problem:
            self._contradiction(str(problem))
            if proven_by_note and self._note:
                self._keep(self.state.checkpoint, self._note)

    def _keep(self, *notes: str) -> None:
        """Keep signed checkpoints that prove a contradiction."""
        kept = self.state.evidence
        if len(kept) < LINES_KEPT // 10:
            kept += [note for note in notes if note and note not in kept]

    # Keys and checkpoints

    def _pin(self, key: str | None, earlier_keys: Sequence[str]) -> None:
        """Learn the origin and the key, again until a checkpoint was signed with it."""
        state = self.state
        if not state.checkpoint:
            state.origin, state.keys = self._current_origin(), []
            key = key or self._shown_key()
        for each in map(self._own_key, earlier_keys):
            if each not in state.keys:
                state.keys.insert(0, each)
        if key is not None and self._own_key(key) not in state.keys:
            state.keys.append(self._own_key(key))
            self._report(f"the key of {state.origin} is pinned: {key}")

    def _shown_key(self) -> str:
        url = f"{self.prefix}/key"
        page = self.web.get(url, JSON_BYTES)
        if page is None:
            raise NotChecked(f"{url} is missing")
        return page.decode(errors="replace").split("\n")[0]

    def _own_key(self, text: str) -> str:
        """The public key of a verifier key of this log. Raises NotChecked."""
        try:
            name, public = parse_key(text)
        except Contradiction as malformed:
            raise NotChecked(str(malformed)) from None
        if split_name(name)[0] != split_name(self.state.origin)[0]:
            raise NotChecked(f"the key {text[:300]!r} is not one of {self.state.origin!r}")
        return public

    def _current_origin(self) -> str:
        origin = within(self.web.json(f"{self.first_prefix}/current"), "origin")
        if not VALID["forkOf"](origin):
            raise NotChecked(f"{self.first_prefix}/current names no origin")
        return str(origin)

    def _read_tree(self, least: int) -> None:
        """Read the newest checkpoint with its tree, which must continue the last one."""
        self.tree = None
        state, origin = self.state, self._current_origin()
        is_successor = origin != state.origin
        if is_successor and (
            split_name(origin)[0] != split_name(state.origin)[0]
            or not split_name(origin)[1]
            or origin in state.ended
        ):
            raise NotChecked(f"{origin} is no successor of {state.origin}")
        prefix = self.first_prefix + split_name(origin)[1]
        glanced = [] if is_successor else self._glanced
        self._glanced = []
        seen = 0 if is_successor else max([state.size, *(other.size for other in glanced)])
        checkpoint = self._read_checkpoint(prefix, origin, max(least, seen))
        if checkpoint.size < seen:
            raise Contradiction(f"the log went back from size {seen} to {checkpoint.size}")
        changed = f"the tree of size {checkpoint.size} does not continue that of size {state.size}"
        edge = from_hex(state.edge)
        if not is_successor and checkpoint.size == state.size and checkpoint.root != edge_root(edge):
            raise Contradiction(changed)
        tree = Tree(self.web, prefix, checkpoint)
        if is_successor:
            self._begin_successor(origin)
            self._glanced_witnessed = []
        elif not tree.agrees(edge, state.size, state.size):
            raise Contradiction(changed)
        for other in glanced:
            if edge_root(tree.edge_at(other.size)) != other.root:
                self._note = other.note
                raise Contradiction(f"two histories: size {other.size} does not fit size {tree.size}")
        state = self.state
        state.size, state.edge = tree.size, [level.hex() for level in tree.edge]
        state.checkpoint, self.tree = checkpoint.note, tree
        if state.next_key and checkpoint.signers == {state.next_key}:
            state.keys.append(state.next_key)
            state.next_key = None
            self._report(f"{origin} uses the announced key from size {tree.size} on")

    def _read_checkpoint(self, prefix: str, origin: str, least: int) -> Checkpoint:
        """The newest checkpoint. A smaller one than ``least`` may come from a cache, and is read again."""
        keys = [*self.state.keys[-1:], *filter(None, [self.state.next_key])]
        for attempt in range(1 + ASKED_AGAIN):
            if attempt:
                self._pause(ASK_SECONDS)
            began_ms = self.now_ms
            note = self.web.get(f"{prefix}/checkpoint", NOTE_BYTES)
            if note is None:
                raise NotChecked(f"{prefix}/checkpoint is missing")
            self._note = note.decode(errors="replace")
            checkpoint = open_checkpoint(note, origin, keys)
            # A smaller one than was read before comes from a cache.
            is_new = origin == self.state.origin and checkpoint.size >= self.state.size
            if self._is_clock_right and is_new:
                self.state.fetched.append((began_ms, self.now_ms, checkpoint.size))
            if checkpoint.size >= least:
                break
        return checkpoint

    def _begin_successor(self, origin: str) -> None:
        """Read a successor from its beginning. What was seen of its predecessor is checked at its entry."""
        old = self.state
        self._report(f"{old.origin} has a successor: {origin}")
        self.state = State(
            version=STATE_VERSION,
            origin=origin,
            keys=old.keys,
            next_key=old.next_key,
            predecessor={
                "origin": old.origin,
                "size": old.size,
                "edge": old.edge,
                "locks": {str(index): lock for index, lock in old.locks.items()},
            },
            ended=[*old.ended, old.origin],
            chain=old.chain,
            contradictions=old.contradictions,
            evidence=old.evidence,
        )
        self.commitments = Commitments(self.state)
        self.battle_commitments = set()

    def _compare(self, source: str | None) -> None:
        """Hold the log against a checkpoint that somebody else has seen."""
        if source is None or self.tree is None:
            return
        try:
            note = self.web.get(source, NOTE_BYTES) if is_url(source) else Path(source).read_bytes()
        except OSError as problem:
            raise NotChecked(f"{source}: {problem}") from None
        if note is None:
            raise NotChecked(f"{source} is missing")
        other = self._hold(note, source, self.tree)
        self._report(f"{source} of size {other.size} is of the same history")

    def _hold(self, note: bytes, source: str, tree: Tree) -> Checkpoint:
        """The checkpoint in a note of somebody else, which must be of the history of the tree that was read.

        Raises NotChecked if no known key has signed it, and Contradiction.
        """
        self._note = note.decode(errors="replace")
        other = open_checkpoint(note, self.state.origin, self._all_keys)
        if other.size > tree.size:
            larger, newest = self._tree_of(other, tree.size)
            agrees = larger.agrees(tree.edge, tree.size, tree.size)
        else:
            larger, newest, agrees = tree, "", True
        self._note = other.note
        if not agrees or edge_root(larger.edge_at(other.size)) != other.root:
            self._keep(newest)
            raise Contradiction(
                f"two histories: {source} of size {other.size} does not fit size {larger.size}"
            )
        return other

    def _tree_of(self, signed: Checkpoint, seen: int) -> tuple[Tree, str]:
        """A tree that has the size of a signed checkpoint, which the log must have or get, and its note."""
        try:
            return Tree(self.web, self.prefix, signed), signed.note
        except NotChecked:
            newest = self._read_checkpoint(self.prefix, self.state.origin, signed.size)
        if newest.size < signed.size:
            self._note = signed.note
            raise Contradiction(f"size {signed.size} is signed, but the log has {max(newest.size, seen)}")
        return Tree(self.web, self.prefix, newest), newest.note

    # Witnesses

    def _check_witnessed(self) -> None:
        """The newest checkpoint that enough witnesses have cosigned, and those that were read at rounds."""
        tree, glanced = self.tree, self._glanced_witnessed
        self._glanced_witnessed = []
        if not self.witnesses or tree is None:
            return
        for note in glanced:
            with self._noting(proven_by_note=True):
                self._read_witnessed(note, tree)
        with self._noting(proven_by_note=True):
            url = f"{self.prefix}/witnessed"
            newest = self.web.get(url, NOTE_BYTES)
            if newest is None:
                raise NotChecked(f"{url} is missing: not enough witnesses have cosigned a checkpoint")
            self._check_age(self._read_witnessed(newest, tree), tree)

    def _read_witnessed(self, note: bytes, tree: Tree) -> int:
        """The size of a witnessed checkpoint. Raises NotChecked if it is none, and Contradiction."""
        checkpoint, state = self._hold(note, "the witnessed checkpoint", tree), self.state
        # A witness may cosign with two keys, and is still one.
        earliest: dict[str, int] = {}
        for witness, _ in self.witnesses:
            with self._noting():
                at = self._cosigned_at(witness, checkpoint)
                if at is not None:
                    earliest[witness.name] = min(at, earliest.get(witness.name, at))
        if len(earliest) < self.quorum:
            raise NotChecked(
                f"the witnessed checkpoint of size {checkpoint.size} has {len(earliest)} cosignatures of"
                f" {self.quorum}"
            )
        times = sorted((at, name) for name, at in earliest.items())
        state.witnessed = {"size": checkpoint.size, "times": [[name, at] for at, name in times]}
        # By then so many witnesses had it.
        state.cosigned.append((times[self.quorum - 1][0], checkpoint.size, checkpoint.note))
        for index, lock in state.locks.items():
            self._note_witnessed(index, lock)
        return checkpoint.size

    def _cosigned_at(self, witness: Witness, checkpoint: Checkpoint) -> int | None:
        """When a witness has cosigned a checkpoint, if it has. Raises NotChecked."""
        text, _, signatures = split_note(checkpoint.note.encode())
        try:
            return witness.cosigned_at(text, signatures)
        except (ValueError, NotImplementedError) as problem:
            raise NotChecked(str(problem)) from None

    def _check_age(self, size: int, tree: Tree) -> None:
        """Raises NotChecked if entries after this witnessed size are not new."""
        if size >= tree.size:
            return
        with suppress(Contradiction):
            at = within(parse_entry(tree.entries(size // WIDTH)[size % WIDTH])[1], "at")
            if IS_INDEX(at) and self.now_ms - at > WITNESSED_MS:
                raise NotChecked(
                    f"entries from {size} on have waited for {(self.now_ms - at) // 1_000} s to be witnessed"
                )

    def _note_witnessed(self, index: int, lock: dict[str, Any]) -> None:
        """Note when the lock of a battle that is not over was witnessed first, and what shows it."""
        for at, size, note in self.state.cosigned if not lock.get("done") else ():
            if size > index and at < (lock.get("witnessed") or [at + 1])[0]:
                lock["witnessed"] = [at, note]

    def _ask_witnesses(self) -> None:
        """Hold the log against the newest checkpoint that each witness itself shows."""
        tree, asked = self.tree, [(witness, url) for witness, url in self.witnesses if url]
        if tree is None or not asked:
            return
        # All at once: one that is silent must not keep the monitor from reading the log.
        with ThreadPoolExecutor(len(asked)) as pool:
            answers = list(pool.map(self._shown_by, [url for _, url in asked]))
        for (witness, _), (note, note_before, failure) in zip(asked, answers, strict=True):
            with self._noting(proven_by_note=True):
                if failure:
                    raise failure
                self._check_shown(witness, note, tree)
            if note_before:
                with self._noting(proven_by_note=True):
                    self._check_shown_before(witness, note_before, tree)

    def _shown_by(self, url: str) -> tuple[bytes | None, bytes | None, NotChecked | None]:
        """The newest checkpoints that a witness shows, of the log and of the one before; or the failure."""
        web, fork = Web(lambda _: None, attempts=1, seconds=WITNESS_SECONDS), self.state.forked
        origins = [self.state.origin, *([fork["forkOf"]] if fork else [])]
        paths = [f"{sha256(origin.encode()).hexdigest()}/checkpoint" for origin in origins]
        try:
            notes = [web.get(f"{url.rstrip('/')}/{path}", NOTE_BYTES) for path in paths]
        except NotChecked as failure:
            return None, None, failure
        finally:
            web.close()
        return notes[0], notes[-1] if fork else None, None

    def _check_shown(self, witness: Witness, note: bytes | None, tree: Tree) -> None:
        if note is None:
            raise NotChecked(f"{witness.name} has cosigned no checkpoint of {self.state.origin}")
        checkpoint = self._hold(note, f"the checkpoint of {witness.name}", tree)
        if self._cosigned_at(witness, checkpoint) is None:
            raise NotChecked(f"the checkpoint of {witness.name} does not have its cosignature")

    def _check_shown_before(self, witness: Witness, note: bytes, tree: Tree) -> None:
        """The log before this one had no more entries, and no others, than the entry of this one says."""
        fork = self.state.forked or {}
        self._note = note.decode(errors="replace")
        last = open_checkpoint(note, fork["forkOf"], self._all_keys)
        fits = last.size < fork["size"] or (last.size, last.root) == (fork["size"], b64decode(fork["root"]))
        if fits and last.size <= fork["kept"]:
            fits = edge_root(tree.edge_at(last.size)) == last.root
        if not fits:
            raise Contradiction(
                f"{witness.name} has a checkpoint of {fork['forkOf']} of size {last.size}, which does not fit"
                f" what {self.state.origin} says of that log"
            )

    # Entries

    def _read_entries(self) -> None:
        state, tree = self.state, self.tree
        with self._noting():
            self._read_rules()
        while tree and state.position < tree.size:
            number, first = divmod(state.position, WIDTH)
            entries = tree.entries(number)
            for place in range(first, len(entries)):
                self._read_entry(number * WIDTH + place, entries[place])
            state.position = number * WIDTH + len(entries)
            self._reveal({number})
            self._check_battles(number)
            self._save()
        # What is read later comes after the last of these.
        state.fetched = [max(state.fetched)] if tree and state.fetched else state.fetched
        state.cosigned = state.cosigned[-1:] if tree else state.cosigned
        if state.later:
            first, count = state.later
            others = f", and {count - 1} others are" if count > 1 else ""
            self._not_checked(f"entry {first} is of a later format{others}: use a newer monitor.py")

    def _read_entry(self, index: int, raw: bytes) -> None:
        try:
            kind, entry = parse_entry(raw)
            problem = getattr(self, f"_read_{kind}")(index, entry)
        except Contradiction as malformed:
            problem = str(malformed)
        except NotChecked:
            problem = None
            self._read_later(index, entry)
        else:
            if kind != "later":
                self.state.newest_at = max(self.state.newest_at, entry["at"])
        if problem:
            self._contradiction(f"entry {index}: {problem}")

    def _read_later(self, index: int, _: dict[str, Any]) -> None:
        first, count = self.state.later or (index, 0)
        self.state.later = [first, count + 1]

    def _chained(self, index: int, problem: str | None) -> str | None:
        """A problem of the chain. An entry of a later format may be what explains it."""
        if problem and self.state.later:
            self._not_checked(f"entry {index}: {problem}, after an entry of a later format")
            return None
        return problem

    def _read_bet(self, index: int, entry: dict[str, Any]) -> str | None:
        due = min(entry["at"], self.now_ms) + self._proof_delay_ms
        self.state.waiting[index] = due, entry
        return self._chained(index, self.commitments.bet(entry)) or wrong_terms(entry)

    def _read_commitment(self, index: int, entry: dict[str, Any]) -> str | None:
        return self._chained(index, self.commitments.commitment(entry))

    def _read_redrawn(self, index: int, entry: dict[str, Any]) -> str | None:
        return self._chained(index, self.commitments.redrawn(entry))

    def _read_epoch(self, index: int, entry: dict[str, Any]) -> str | None:
        self._report(f"entry {index}: epoch {entry['redraw']} of redraws begins: {entry['reason']}")
        return self._chained(index, self.commitments.begin_epoch(entry))

    def _read_audit(self, _: int, entry: dict[str, Any]) -> str | None:
        """An anchor of the audit trail, whose events never become fewer."""
        before, now = self.state.audited, entry["events"]
        self.state.audited = now
        return f"the audit trail has {now} events after {before}" if now < before else None

    def _read_key(self, index: int, entry: dict[str, Any]) -> str | None:
        """An announced key. Only the last one that follows the current key may become the current one."""
        state = self.state
        name, key = parse_key(entry["nextKey"])
        present = parse_key(entry["key"])[1] if "key" in entry else state.keys[-1]
        if split_name(name)[0] != split_name(state.origin)[0]:
            return f"announces a key of {name}"
        self._report(f"entry {index}: a key is announced: {entry['nextKey']}")
        is_next = present == state.keys[-1] and key not in state.keys
        for each in (state.next_key, present, key):
            if each and each not in state.keys and not (is_next and each == key):
                state.keys.insert(0, each)
        state.next_key = key if is_next else None
        return None

    def _read_fork(self, index: int, entry: dict[str, Any]) -> str | None:
        kept, size = entry["kept"], entry["size"]
        # Events may be lost with the end of the log.
        self.state.audited = 0
        self.state.fork, self.state.forked = (index, entry["at"]), entry
        self._report(f"entry {index}: continues {entry['forkOf']}, with {kept} of its {size} entries")
        seen, tree = self.state.predecessor, self.tree
        if kept != index or kept > size or entry["forkOf"] == self.state.origin:
            return f"keeps {kept} entries of {size} of {entry['forkOf']}"
        if entry["forkOf"] not in self.state.ended:
            self.state.ended.append(entry["forkOf"])
        if seen is None or tree is None:
            return None
        # The entry of the predecessor may be lost itself, when it was followed by another loss.
        self.state.predecessor = None
        self._lose_locks(index, seen)
        edge, is_seen = from_hex(seen["edge"]), seen["origin"] == entry["forkOf"]
        if is_seen and size < seen["size"]:
            return f"says that the last checkpoint had size {size}, but one of size {seen['size']} was seen"
        if is_seen and size == seen["size"] and b64decode(entry["root"]) != edge_root(edge):
            return "the root is not that of the checkpoint that was seen"
        if not tree.agrees(edge, seen["size"], min(kept, seen["size"])):
            return "the restored entries are not those that were seen"
        return None

    def _check_predecessor(self) -> None:
        if self.state.predecessor and not self.state.later:
            before, self.state.predecessor = self.state.predecessor["origin"], None
            self._contradiction(f"{self.state.origin} has no entry that says that it continues {before}")

    # Bets

    def _read_rules(self) -> None:
        delay = within(self.web.json(f"{self.site}/upgrader/rules"), "proofDelay")
        is_number = isinstance(delay, int | Decimal) and not isinstance(delay, bool)
        if not is_number or not 0 <= delay <= MAX_PROOF_DELAY_SECONDS:
            raise NotChecked(f"{self.site}/upgrader/rules has no proof delay from 0 to 600 seconds")
        self._proof_delay_ms = int(delay * 1000)

    def _reveal(self, pages: set[int]) -> None:
        for page in sorted(pages):
            indexes = range(page * WIDTH, (page + 1) * WIDTH)
            waiting = [index for index in indexes if index in self.state.waiting]
            if any(self.state.waiting[index][0] <= self.now_ms for index in waiting):
                with self._noting():
                    self._reveal_page(page, waiting)

    def _reveal_page(self, page: int, waiting: list[int]) -> None:
        """Check the revealed bets of a page, and that none is late. What does not fit goes on waiting."""
        # Battles are revealed beside bets, and a later format may reveal something else.
        found = [(within(each, "index"), within(each, "bet")) for each in self._revealed(page)]
        bets = {index: bet for index, bet in found if IS_INDEX(index) and isinstance(bet, dict)}
        for index in waiting:
            due, entry = self.state.waiting[index]
            if index in bets:
                with self._noting():
                    self._check_bet(index, entry, bets[index])
            elif due + LATE_MS < self.now_ms:
                self._problems(f"entry {index}", [f"the bet was due at {due} and is not revealed"])

    def _revealed(self, page: int) -> list[Json]:
        url = f"{self.prefix}/revealed/{page}"
        revealed = self.web.json(url, REVEALED_BYTES)
        if not isinstance(revealed, list):
            raise NotChecked(f"{url} is malformed")
        return revealed

    def _check_bet(self, index: int, entry: dict[str, Any], bet: Json) -> None:
        """Recompute a revealed bet, and count it."""
        name, pf, seed = f"entry {index}", within(bet, "pf"), within(bet, "pf", "serverSeed")
        if not IS_HASH(seed) or commitment_of(seed) != entry["commitment"]:
            self._problems(name, ["the server seed is not the one that was committed to"])
            return
        snapshot, wager = entry["terms"].get("snapshot"), entry["terms"]["wager"]
        content = self._content(snapshot) if snapshot else None
        if content and wager not in (0, content[1]):
            self._contradiction(f"{name}: the wager is {wager}, the price of the case {content[1]}")
        payout, mean, shown = outcome_of(entry, seed, content)
        seeds = {"serverSeedCommitment": entry["commitment"]}
        seeds |= {each: entry[each] for each in ("clientSeed", "nonce")}
        different = [*differences(pf, seeds), *differences(bet, shown)]
        self._problems(name, [f"in the revealed bet {difference}" for difference in different])
        if different:
            return
        del self.state.waiting[index]
        self.commitments.reveal(entry)
        sums = self.state.sums.setdefault(entry["game"], dict(NO_BETS))
        counted = {"bets": 1, "wagered": wager, "paid": payout, "mean": mean}
        for column, value in counted.items() if wager else (("freeBets", 1), ("freePaid", payout)):
            sums[column] += value

    def _content(self, snapshot: str) -> Content:
        if snapshot not in self._contents:
            url = f"{self.site}/snapshots/{snapshot}"
            body = None if snapshot in self._unreadable else self.web.get(url, SNAPSHOT_BYTES)
            if body is None or sha256(body).hexdigest() != snapshot:
                self._unreadable.add(snapshot)
                raise NotChecked(f"{url} does not have the content with this hash")
            try:
                self._contents[snapshot] = read_content(body.decode())
            except ValueError:
                raise Contradiction(f"{url} is not the canonical JSON of a case") from None
            if len(self._contents) > SNAPSHOTS_KEPT:
                del self._contents[next(iter(self._contents))]
        return self._contents[snapshot]

    def _live_bets(self) -> Iterator[tuple[str, dict[str, Any], int]]:
        """Id, bet and index of the live bets to check. The index is -1 if it has none."""
        with self._noting():
            url = f"{self.site}/stats/live-bets"
            page = self.web.json(url)
            try:
                ids = [bet["id"] for bet in page["data"]["bets"]]
            except (TypeError, KeyError):
                raise NotChecked(f"{url} is malformed") from None
            if not all(map(IS_ID, ids)):
                raise NotChecked(f"{url} has a bet without an id")
            doubted = [name.removeprefix(LIVE) for name in self.state.problems if name.startswith(LIVE)]
            for bet_id in dict.fromkeys([*doubted, *ids[:100]]):
                if bet_id not in self.state.live:
                    with self._noting():
                        bet = self.web.json(f"{self.site}/bets/{bet_id}")
                        if within(bet, "id") != bet_id:
                            raise NotChecked(f"{self.site}/bets/{bet_id} is malformed")
                        index = within(bet, "log", "index")
                        yield bet_id, bet, index if IS_INDEX(index) else -1

    def _check_live(self, live: list[tuple[str, dict[str, Any], int]]) -> None:
        for bet_id, bet, index in live:
            with self._noting():
                problem = self._live_problem(bet, index)
                self._problems(f"{LIVE}{bet_id}", [problem] if problem else [])
                if not problem:
                    self.state.live = [bet_id, *self.state.live][:200]

    def _live_problem(self, bet: dict[str, Any], index: int) -> str | None:
        """What is wrong with the place of a live bet in the log."""
        if self.tree is None or index == -1 or index >= self.tree.size:
            return "has no entry in the log"
        kind, entry = parse_entry(self.tree.entries(index // WIDTH)[index % WIDTH])
        if kind == "later":
            raise NotChecked(f"entry {index} is of a later format")
        found = within(bet, "log", "origin"), within(bet, "pf", "serverSeedCommitment")
        # The bets of a battle are in its end.
        commitment = commitment_of(entry["seed"]) if kind == "end" else entry.get("commitment")
        if kind not in ("bet", "end") or found != (self.state.origin, commitment):
            return f"is not in entry {index} of {self.state.origin}"
        return None

    # Battles

    def _read_lock(self, index: int, entry: dict[str, Any]) -> str | None:
        """The lock of a battle.

        Kept are: ``entry``, the latest time that an entry before it names (``follows``), when the last
        checkpoint was read that did not have it (``absent``), and when the first was that had it (``read``).
        ``witnessed`` is when witnesses had cosigned a checkpoint that had it, and this checkpoint's note.
        """
        state, battle, commitment = self.state, entry["battle"], entry["commitment"]
        lock = {
            "entry": entry,
            "follows": state.newest_at,
            "absent": max((began for began, _, size in state.fetched if size <= index), default=None),
            "read": min((ended for _, ended, size in state.fetched if size > index), default=None),
        }
        kept = within(state.predecessor, "locks", str(index))
        if within(kept, "entry") == entry:
            seen = ("absent", "read", "beacon", "witnessed")
            lock |= {name: kept[name] for name in seen if name in kept}
        self._note_witnessed(index, lock)
        before, lost = state.battles.get(battle), state.lost.get(battle)
        is_used = commitment in self.battle_commitments or self.commitments.is_announced(commitment)
        is_used = is_used or any(
            each["entry"]["commitment"] == commitment for name, each in state.lost.items() if name != battle
        )
        if before:
            return f"locks the battle of entry {before[0]} again"
        state.battles[battle] = index, -1, commitment
        state.locks[index] = lock
        self.battle_commitments.add(commitment)
        problem = wrong_lock(entry)
        lock["done"] = problem is not None
        if lost and lost["entry"] != entry:
            return "locks a battle that the log before this one has locked in another way"
        if is_used:
            return "locks a battle with a commitment that was used before"
        return problem

    def _read_end(self, index: int, entry: dict[str, Any]) -> str | None:
        """The end of a battle: the seed, and the signature of the round or the reason why it is void."""
        state = self.state
        first, ended, commitment = state.battles.get(entry["battle"], (-1, -1, ""))
        if first != entry["lock"]:
            return self._chained(index, f"ends a battle that is not locked in entry {entry['lock']}")
        if ended >= 0:
            return f"ends the battle of entry {first} again, after entry {ended}"
        state.battles[entry["battle"]] = first, index, commitment
        if first in state.locks:
            state.locks[first]["end"] = [index, entry]
        if commitment_of(entry["seed"]) != commitment:
            if first in state.locks:
                state.locks[first]["done"] = True
            return "the server seed is not the one that the lock is committed to"
        return None

    def _read_void(self, index: int, entry: dict[str, Any]) -> str | None:
        problem = self._read_end(index, entry)
        if entry["reason"] not in ("late", "beacon", "restore"):
            return f"a battle is void for the reason {entry['reason'][:100]!r}"
        return problem

    def _lose_locks(self, index: int, seen: dict[str, Any]) -> None:
        """Report the battles that the log before this one had locked, and that this one did not keep."""
        lost = {number: lock for number, lock in seen.get("locks", {}).items() if int(number) >= index}
        for number, lock in lost.items():
            self.state.lost[lock["entry"]["battle"]] = lock
            won = lock.get("won", "its seed was not in the log")
            self._report(f"entry {index}: the lock in entry {number} was not kept: {won}")

    def _check_battles(self, page: int | None = None) -> None:
        """Check the battles that wait, or those that ended in the entries of a page."""
        locks = self.state.locks
        for index, lock in list(locks.items()):
            ended = lock["end"][0] // WIDTH if "end" in lock else None
            if not lock.get("done") and page in (None, ended):
                with self._noting():
                    self._check_battle(index, lock)
        over = [index for index, lock in locks.items() if lock.get("done")]
        for index in over:
            # Only what is proven with it is kept.
            locks[index].pop("witnessed", None)
        for index in over[:-BATTLES_KEPT]:
            del locks[index]
        if page is None and self._unverified:
            self._not_checked(
                f"the signatures of {self._unverified} beacons: install py-arkworks-bls12381 0.5.0 or later"
            )

    def _check_battle(self, index: int, lock: dict[str, Any]) -> None:
        entry, name = lock["entry"], f"entry {index}"
        chain, round_ = self._chain(entry["beacon"]["chain"]), entry["beacon"]["round"]
        due = chain.first_round_at(entry["at"] + LOCK_MS)
        if round_ != due:
            self._contradiction(f"{name}: the battle is decided by round {round_}, not {due}")
        number, end = lock.get("end", (None, None))
        if end is None:
            self._find_beacon(lock, chain, round_)
            if self.state.newest_at > chain.time_ms(round_) + BEACON_MS + LATE_MS:
                self._contradiction(f"{name}: the battle has no end a day after round {round_}")
        elif "reason" in end:
            self._check_void(index, lock, chain, number, end)
        else:
            self._check_settled(index, lock, chain, number, end)

    def _check_settled(
        self, index: int, lock: dict[str, Any], chain: Chain, number: int, end: dict[str, Any]
    ) -> None:
        """A settled battle: its lock came before the round, and the payouts are those of the rules."""
        entry, name = lock["entry"], f"entry {index}"
        round_, signature = entry["beacon"]["round"], end["signature"]
        published, absent, follows = chain.time_ms(round_), lock["absent"], lock["follows"]
        if absent is not None and absent >= published:
            self._contradiction(
                f"{name}: the battle is settled, but {absent - published} ms after round {round_} was"
                " published a checkpoint did not have its lock"
            )
        if follows >= published:
            self._contradiction(
                f"{name}: the battle is settled, but its lock follows an entry of {follows}, and round"
                f" {round_} was published at {published}"
            )
        genuine = is_genuine(chain, round_, signature)
        if genuine is False:
            lock["done"] = True
            self._contradiction(f"entry {number}: the signature is not that of round {round_}")
            return
        self._unverified += genuine is None
        contents = [self._content(snapshot) for snapshot in entry["cases"]]
        battle = decide_battle(entry, server_seed=end["seed"], signature=signature, contents=contents)
        if not self._is_revealed_right(number, end, battle):
            return
        lock["done"] = True
        lock["won"] = who_won(entry, battle)
        self.state.settled += 1
        # The time of a cosignature is in whole seconds, as that of a round is.
        self.state.settled_witnessed += witnessed_at(lock, published) < published
        self._count_battle(entry, battle, contents)

    def _is_revealed_right(self, number: int, end: dict[str, Any], battle: Battle) -> bool:
        """Whether a battle is revealed as it must be. It is reported if it is late, or differs."""
        name, page = f"entry {number}", number // WIDTH
        if self._page[0] != page:
            self._page = page, self._revealed(page)
        found = [within(each, "battle") for each in self._page[1] if within(each, "index") == number]
        shown = next(filter(None, found), None)
        if shown is None:
            if end["at"] + LATE_MS < self.now_ms:
                self._problems(name, ["the battle is not revealed"])
            return False
        different = [
            f"in the revealed battle {field} are not {json.dumps(value, default=str)[:300]}"
            for field, value in shown_battle(battle).items()
            if within(shown, field) != value
        ]
        self._problems(name, different)
        return not different

    def _count_battle(self, entry: dict[str, Any], battle: Battle, contents: list[Content]) -> None:
        """Count the seats of players. Each of them gets on average what its cases are worth."""
        sums = self.state.sums.setdefault("battle", dict(NO_BETS))
        mean = sum(item.price_cents * item.width for _, _, items in contents for item in items)
        for seat, cents in zip(entry["seats"], battle.decision.payouts_cents, strict=True):
            if seat["player"] != BOT:
                sums["bets"] += 1
                sums["wagered"] += sum(price for _, price, _ in contents)
                sums["paid"] += cents
                sums["mean"] += mean

    def _check_void(
        self, index: int, lock: dict[str, Any], chain: Chain, number: int, end: dict[str, Any]
    ) -> None:
        """A void battle: whether the reason can be true, and who would have won."""
        entry, name, reason = lock["entry"], f"entry {number}", end["reason"]
        round_ = entry["beacon"]["round"]
        published, read = chain.time_ms(round_), lock["read"]
        if reason == "late" and read is not None and read < published - DECIDED_MS:
            self._contradiction(
                f"{name}: the battle is void as late, but its lock was read {published - read} ms before"
                f" round {round_}"
            )
        early_ms = published - witnessed_at(lock, published)
        if reason == "late" and early_ms - 1_000 >= DECIDED_MS:
            self._keep(lock["witnessed"][1])
            self._contradiction(
                f"{name}: the battle is void as late, but witnesses had cosigned its lock {early_ms} ms"
                f" before round {round_}"
            )
        if reason == "beacon" and end["at"] < published + BEACON_MS:
            self._contradiction(f"{name}: the battle is void less than a day after round {round_}")
        if reason == "beacon" and "beacon" in lock and lock["beacon"][1] + LATE_MS < end["at"]:
            self._contradiction(f"{name}: the battle is void, but a relay had round {round_} before")
        fork = self.state.fork
        if reason == "restore" and not (fork and index > fork[0] and entry["at"] < fork[1]):
            self._contradiction(f"{name}: the battle is void after a restore, but none has lost its lock")
        self._find_beacon(lock, chain, round_)
        voids = self.state.voids.setdefault(reason, {"all": 0, "players": 0, "bots": 0})
        if "counted" not in lock:
            lock["counted"] = True
            voids["all"] += 1
        if "beacon" not in lock:
            return
        contents = [self._content(snapshot) for snapshot in entry["cases"]]
        seeds = {"server_seed": end["seed"], "signature": lock["beacon"][0]}
        battle = decide_battle(entry, **seeds, contents=contents)
        lock["done"] = True
        lock["won"] = who_won(entry, battle)
        paid = zip(entry["seats"], battle.decision.payouts_cents, strict=True)
        winners = {seat["player"] == BOT for seat, cents in paid if cents}
        voids["players"] += False in winners
        voids["bots"] += True in winners
        self._report(f"{name}: the battle of entry {index} is void ({reason}), {lock['won']} would have won")

    def _find_beacon(self, lock: dict[str, Any], chain: Chain, round_: int) -> None:
        """Keep the signature of a round that was published, and when a relay showed it first."""
        is_due = chain.time_ms(round_) <= self.now_ms and self._asked < VOIDS_ASKED
        if "beacon" in lock or not is_due or not self.relays.serve(chain):
            return
        self._asked += 1
        if signature := self.relays.signature(chain, round_):
            lock["beacon"] = signature, self.now_ms

    def _chain(self, chain_hash: str) -> Chain:
        """The network with this hash. Raises NotChecked if nobody describes it."""
        if chain_hash == QUICKNET.hash:
            return QUICKNET
        chain = read_chain(self.state.chain, chain_hash) if self.state.chain else None
        if chain is None:
            with suppress(NotChecked):
                chain = read_chain(within(self.web.json(f"{self.site}/battles/rules"), "beacon"), chain_hash)
            chain = chain or self.relays.info(chain_hash)
            if chain is None:
                raise NotChecked(f"the network {chain_hash}, which decides battles, is not described")
            self.state.chain = {
                "public_key": chain.public_key,
                "groupHash": chain.group_hash,
                "genesis_time": chain.genesis,
                "period": chain.period,
                "metadata": {"beaconID": chain.beacon_id},
                "schemeID": SCHEME,
            }
            self._report(f"battles are decided by the network {chain_hash}: whoever runs it is trusted")
        return chain

    def _network(self) -> Chain | None:
        """The network of the newest battle, if there is one and the network is known."""
        locks = self.state.locks
        if not locks:
            return None
        chain_hash = locks[max(locks)]["entry"]["beacon"]["chain"]
        if chain_hash == QUICKNET.hash:
            return QUICKNET
        return read_chain(self.state.chain, chain_hash) if self.state.chain else None

    def _check_clock(self) -> None:
        """Hold the clock against the newest beacon. Raises NotChecked if it is wrong, or drand is late."""
        chain, now_ms = self._network(), self.now_ms
        is_due = abs(now_ms - self._clock_checked_ms) >= CLOCK_CHECKED_SECONDS * 1000
        if chain is None or not self.relays.serve(chain) or not is_due:
            return
        newest = self.relays.newest(chain)
        age_ms = 0 if newest is None else self.now_ms - chain.time_ms(newest)
        self._is_clock_right = -CLOCK_SLOW_MS <= age_ms <= chain.period * 1000 + CLOCK_FAST_MS
        if not self._is_clock_right:
            # It is checked again at the next reading.
            raise NotChecked(f"the clock: the newest beacon is {age_ms} ms old")
        self._clock_checked_ms = now_ms

    def wait(self, seconds: float) -> None:
        """Pause. Where the log has battles, read the checkpoint at the time of each round meanwhile."""
        began = self._now()
        chain = self._network()
        if chain is None:
            self._pause(seconds)
            return
        first = chain.first_round_at(int(began * 1000) + 1)
        rounds = range(first, chain.first_round_at(int((began + seconds) * 1000)))
        for round_ in rounds:
            # A pause may end a little too early.
            self._pause(max(0.0, (chain.time_ms(round_) + GLANCE_MS) / 1000 - self._now()))
            with self._noting():
                self._glance()
        self._pause(max(0.0, began + seconds - self._now()))

    def _glance(self) -> None:
        """Read the checkpoint alone. The next poll holds the tree against it."""
        self._glanced.append(self._read_checkpoint(self.prefix, self.state.origin, 0))
        note = self.web.get(f"{self.prefix}/witnessed", NOTE_BYTES) if self.witnesses else None
        if note and note not in self._glanced_witnessed:
            self._glanced_witnessed.append(note)
        self.web.close()

    # The end of a poll

    def _save(self) -> None:
        """Save what was seen. Where that takes long, it is not done for more than a 20th of the time."""
        began = time.monotonic()
        if began >= self._next_save:
            self.state.save(self.path)
            self._next_save = time.monotonic() + 20 * (time.monotonic() - began)


# --- The command ------------------------------------------------------------------------------------------


def printable(text: str) -> str:
    """A line without control characters, which a server could send to a terminal."""
    return "".join(each if each.isprintable() else "?" for each in text[:1_000])


def is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def summary(state: State) -> Iterator[str]:
    """Wagers, payouts and return to player of the revealed bets, by game."""
    yield f"{state.origin}: {state.position} entries, {len(state.waiting)} bets wait for their proof"
    for game, sums in sorted(state.sums.items()):
        line = f"{game}: {sums['bets']} bets, wagered {coins(sums['wagered'])}, paid {coins(sums['paid'])}"
        if sums["wagered"]:
            actual = Decimal(100 * sums["paid"]) / sums["wagered"]
            theoretical = Decimal(100 * sums["mean"]) / TICKET_RANGE / sums["wagered"]
            line += f", return to player {actual:.2f}% (theoretical {theoretical:.2f}%)"
        if sums["freeBets"]:
            line += f"; {sums['freeBets']} free bets, paid {coins(sums['freePaid'])}"
        yield line
    if state.witnessed:
        by = ", ".join(f"{name} at {time_text(at)}" for name, at in state.witnessed["times"])
        yield f"witnessed: {state.witnessed['size']} entries, cosigned by {by}"
    if state.battles:
        waiting = sum(ended == -1 for _, ended, _ in state.battles.values())
        void = sum(counts["all"] for counts in state.voids.values())
        yield f"battles: {len(state.battles)} locked, {waiting} wait for their end, {void} void"
    if state.witnessed and state.settled:
        yield (
            f"witnessed before their rounds: the locks of {state.settled_witnessed} of {state.settled}"
            " settled battles"
        )
    for reason, counts in sorted(state.voids.items()):
        unknown = sum(
            "won" not in lock and within(lock.get("end", [0, None])[1], "reason") == reason
            for lock in state.locks.values()
        )
        yield (
            f"void ({reason}): {counts['all']} battles; players would have won {counts['players']}, bots"
            f" {counts['bots']}; of {unknown} it is not known"
        )
    for index, lock in sorted(state.locks.items()):
        if "end" not in lock:
            yield f"waiting: the battle of entry {index}, for round {lock['entry']['beacon']['round']}"


def verifier_key(text: str) -> str:
    """The argument of an option. Raises ValueError if it is no verifier key."""
    try:
        parse_key(text)
    except (Contradiction, NotChecked) as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return text


def witness_and_url(text: str) -> tuple[Witness, str]:
    """The argument of an option: a verifier key, and perhaps a URL. Raises ValueError for another one."""
    key, _, url = text.strip().partition(" ")
    try:
        witness = Witness(key)
    except ValueError:
        raise argparse.ArgumentTypeError(f"not the verifier key of a witness: {key[:100]!r}") from None
    if url and not is_url(url.strip()):
        raise argparse.ArgumentTypeError(f"not the URL of a witness: {url[:100]!r}")
    return witness, url.strip()


def main(arguments: list[str] | None = None, now: Now = time.time, pause: Pause = time.sleep) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("url", metavar="URL", help="the log, such as https://play.example.com/log")
    parser.add_argument("--state", required=True, type=Path, metavar="FILE", help="keeps what was seen")
    parser.add_argument(
        "--key", type=verifier_key, metavar="VKEY", help="the key of the log, if not the one that it shows"
    )
    parser.add_argument(
        "--earlier-key",
        type=verifier_key,
        action="append",
        default=[],
        metavar="VKEY",
        help="a key from before a rotation, for --compare; may be repeated",
    )
    parser.add_argument("--once", action="store_true", help="read the log once")
    parser.add_argument("--compare", metavar="FILE|URL", help="a checkpoint that somebody else has seen")
    parser.add_argument(
        "--beacons",
        action="append",
        default=[],
        metavar="URL",
        help="a relay of the network that decides battles; may be repeated",
    )
    parser.add_argument(
        "--witness",
        type=witness_and_url,
        action="append",
        default=[],
        metavar='"VKEY [URL]"',
        help="the key of a witness, and its address if it is to be asked itself; may be repeated",
    )
    parser.add_argument(
        "--quorum",
        type=int,
        metavar="N",
        help="how many of them must have cosigned; more than half by default",
    )
    options = parser.parse_args(arguments)
    witnesses, quorum = options.witness, options.quorum
    if len({witness.public_key for witness, _ in witnesses}) < len(witnesses):
        parser.error("--witness: a key is given twice")
    count = len({witness.name for witness, _ in witnesses})
    if quorum is not None and not 1 <= quorum <= count:
        parser.error("--quorum is a number from 1 to that of the witnesses")
    if not all(map(is_url, [options.url, *options.beacons])):
        parser.error("URL begins with https:// or http://")
    try:
        quorum = quorum or count // 2 + 1
        monitor = Monitor(options.url, options.state, now, pause, options.beacons, witnesses, quorum)
    except (OSError, ValueError, TypeError, KeyError) as problem:
        parser.error(f"{options.state} is not readable: {problem}")
    for line in monitor.state.contradictions:
        print(f"contradiction, found before: {line}")
    is_checked = False
    with suppress(KeyboardInterrupt):
        is_checked = monitor.poll(options.key, options.earlier_key, options.compare)
        while not options.once:
            monitor.wait(POLL_SECONDS)
            is_checked = monitor.poll(options.key, options.earlier_key, options.compare)
    if options.once:
        monitor.state.save(options.state)
    print("\n".join(map(printable, summary(monitor.state))))
    return 1 if monitor.state.contradictions or monitor.state.problems else 0 if is_checked else 2


if __name__ == "__main__":
    sys.exit(main())
