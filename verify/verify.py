"""Verify a provably fair bet or battle. Needs Python 3.10 or later and no packages.

Recomputes the roll or the ticket from the seeds, and whether the server seed is the one that was committed
to. For a spin also the threshold from wager and price; for the opening of a case the item, from the snapshot
that GET /snapshots/<hash> serves. All values are in the proof of the bet. Exits with 1 when the server seed
or the snapshot is another one, or when a value is not valid. --vectors checks this program itself.

--battle checks a file that the page of a battle saved, or a receipt: that the lock is in the log, that the
round follows from it, the beacon, and what the seeds give. It prints a line for each check, and exits with 1
if one fails, with 2 if one can't be made. To check the signatures of beacons, install py-arkworks-bls12381
0.5.0 or later. It does not check the signature of the checkpoint, as verify.mjs does. With --witness and the
verifier key of a witness it prints when this witness has cosigned the checkpoint, which shows to everybody
else that the lock came before the round. For that install cryptography, for ML-DSA-44 47 or later.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import re
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

try:
    from py_arkworks_bls12381 import GT, G1Point, G2Point
except ImportError:
    # The signatures of beacons are not checked then.
    GT = G1Point = G2Point = None  # type: ignore[assignment, misc]

try:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
except ImportError:
    # Cosignatures are not checked then.
    InvalidSignature = UnsupportedAlgorithm = ValueError  # type: ignore[assignment, misc]
    Ed25519PublicKey = None  # type: ignore[assignment, misc]
try:
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PublicKey
except ImportError:
    MLDSA44PublicKey = None  # type: ignore[assignment, misc]

SPIN = "upgrader-1"
GAMES = {SPIN: "", "case-1": "case", "irl-1": "irl"}
"""The game in the message of the HMAC, by algorithm."""

MAX_CENTS = 100_000_000_000
MAX_NONCE = 2**63 - 1

NONCE = re.compile("[1-9][0-9]{0,18}")
AMOUNT = re.compile(r"\$?([0-9]{1,10})(?:\.([0-9]{1,2}))?")
FRACTION = re.compile(r"(?=.)0?(?:\.([0-9]{1,6}))?")

# BEGIN of the rules, which generate.py copies from services/bets, battles, beacon and log, and monitor.py.

CLIENT_SEED = re.compile(r"[A-Za-z0-9_-]{4,64}", re.ASCII)


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


def leaf_hash(entry: bytes) -> bytes:
    """The hash of an entry of the log."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node from the hashes of its two children."""
    return sha256(b"\x01" + left + right).digest()


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


# END of the rules.


def verify(bet: dict[str, str]) -> dict[str, Any]:
    """Recompute a bet. Raises ValueError for a value that no bet can have.

    ``bet`` has serverSeed, clientSeed and nonce, and may have algorithm and serverSeedCommitment. A spin may
    have betAmount with price, and houseEdge (a fraction, 0.05 if it is left out); an opening content (the
    canonical JSON of the case) and snapshot (its hash as it was shown). The result lacks what needs a value
    that is left out.
    """
    algorithm = bet.get("algorithm", SPIN)
    if algorithm not in GAMES:
        raise ValueError(f"this program verifies {', '.join(GAMES)}")
    if not SERVER_SEED.fullmatch(bet["serverSeed"]):
        raise ValueError("a server seed has 64 hexadecimal digits, 0-9 and a-f")
    if not CLIENT_SEED.fullmatch(bet["clientSeed"]):
        raise ValueError("a client seed has 4 to 64 letters, digits, dashes and underscores")
    if not NONCE.fullmatch(bet["nonce"]) or int(bet["nonce"]) > MAX_NONCE:
        raise ValueError(f"a nonce is a whole number from 1 to {MAX_NONCE}")
    seeds: dict[str, Any] = {
        "server_seed": bet["serverSeed"],
        "client_seed": bet["clientSeed"],
        "nonce": int(bet["nonce"]),
    }
    result: dict[str, Any] = {"serverSeedCommitment": commitment_of(bet["serverSeed"])}
    if "serverSeedCommitment" in bet:
        result["committed"] = result["serverSeedCommitment"] == bet["serverSeedCommitment"]
    game = GAMES[algorithm]
    result["digest"] = digest(**seeds, game=game).hex()
    return result | (_opening(bet, ticket(**seeds, game=game)) if game else _spin(bet, roll(**seeds)))


def _spin(bet: dict[str, str], rolled: int) -> dict[str, Any]:
    result = {"roll": rolled, "percent": percent(rolled)}
    if ("betAmount" in bet) != ("price" in bet):
        raise ValueError("wager and price go together")
    if "betAmount" not in bet:
        return result
    wager, price = _cents(bet["betAmount"]), _cents(bet["price"])
    if not 0 < wager < price:
        raise ValueError("the wager must be above 0 and below the price")
    fraction = FRACTION.fullmatch(bet.get("houseEdge", "0.05"))
    if not fraction:
        raise ValueError("a house edge is a fraction from 0 to 0.999999, such as 0.05")
    edge_ppm = int((fraction[1] or "").ljust(6, "0"))
    wins_below = threshold(wager_cents=wager, price_cents=price, house_edge_ppm=edge_ppm)
    return result | {"threshold": wins_below, "chance": percent(wins_below), "win": rolled < wins_below}


def _opening(bet: dict[str, str], drawn: int) -> dict[str, Any]:
    result: dict[str, Any] = {"ticket": str(drawn), "percent": ticket_percent(drawn)}
    if "content" not in bet:
        return result
    _, _, items = read_content(bet["content"])
    result["snapshot"] = hashlib.sha256(bet["content"].encode()).hexdigest()
    if "snapshot" in bet:
        result["shown"] = result["snapshot"] == bet["snapshot"]
    won = items[winner(drawn, [item.width for item in items])]
    return result | {"item": won.name, "amount": won.price_cents / 100}


def _cents(text: str) -> int:
    amount = AMOUNT.fullmatch(text)
    cents = int(amount[1]) * 100 + int((amount[2] or "").ljust(2, "0")) if amount else MAX_CENTS + 1
    if cents > MAX_CENTS:
        raise ValueError("an amount is a number from 0 to 1000000000 with at most two decimals")
    return cents


# --- Battles ----------------------------------------------------------------------------------------------

LOCK_MS = 6_000
"""How long after its lock the round of a battle is published, at least."""

DEMO = "demo"
"""The name of the network of a server for development."""

PROOF = re.compile(
    r"c2sp\.org/tlog-proof@v1\nextra (\S+)\nindex (0|[1-9][0-9]{0,18})\n((?:\S{44}\n)*)\n(.*)", re.DOTALL
)

Check = tuple[str, "bool | None"]
"""What is checked, and whether it is right; None if that can't be told."""


def recompute_battle(battle: dict[str, Any]) -> dict[str, Any]:
    """Recompute a battle. Raises ValueError for a value that no battle can have.

    ``battle`` has serverSeed, lockHash, randomness, mode, teams, crazy and terminal, and cases, each with the
    content of its snapshot and a count. The result has all amounts in cents.
    """
    if not all(SERVER_SEED.fullmatch(battle[name]) for name in ("serverSeed", "lockHash", "randomness")):
        raise ValueError("seeds and hashes have 64 hexadecimal digits, 0-9 and a-f")
    terms = {name: battle[name] for name in ("mode", "teams", "crazy", "terminal")}
    rules = Rules(**terms)
    contents = [read_content(case["content"])[2] for case in battle["cases"] for _ in range(case["count"])]
    if not contents:
        raise ValueError("a battle has a case")
    draws = Draws(
        server_seed=battle["serverSeed"], lock_hash=battle["lockHash"], randomness=battle["randomness"]
    )
    drawn: list[list[dict[str, Any]]] = []
    for seat in range(len(rules.team_of_seats)):
        tickets = [draws.ticket(seat=seat, case=case) for case in range(len(contents))]
        won = [
            items[winner(number, [item.width for item in items])]
            for number, items in zip(tickets, contents, strict=True)
        ]
        drawn.append(
            [
                {"item": item.name, "price": item.price_cents, "ticket": str(number)}
                for item, number in zip(won, tickets, strict=True)
            ]
        )
    decision = decide(rules, [[each["price"] for each in items] for items in drawn], draws)
    values, tie, winners, payouts = decision
    return {"drawn": drawn, "values": values, "tie": tie, "winners": winners, "payouts": payouts}


def check_battle(file: dict[str, Any], witnesses: Sequence[Witness] = ()) -> Iterator[Check]:
    """Check a file of a battle, or a receipt. Raises KeyError, TypeError or ValueError for any other file."""
    receipt = file if isinstance(file["battle"], str) else file.get("receipt")
    battle = file["battle"] if isinstance(file["battle"], dict) else None
    if not (receipt or (battle and isinstance(battle.get("id"), str))):
        raise ValueError("this is not the JSON of a battle")
    proof = file.get("proof") or (receipt or {}).get("proof")
    entry = None
    if proof:
        index, entry, leaf, check = read_proof(proof)
        yield check
        yield from _witness_checks(proof, entry, file.get("network"), witnesses)
    if battle:
        yield _seed_check(battle)
        if entry:
            yield "The page of the battle names this entry", index == battle["entry"]
            yield _lock_check(battle, entry)
            yield from _beacon_checks(file, battle, entry)
            yield from _outcome_checks(file, battle, leaf)
        else:
            yield "The proof of the lock is missing", None
    if receipt and entry:
        yield from _receipt_checks(receipt, entry, file.get("network"))


def read_proof(file: str) -> tuple[int, dict[str, Any], str, Check]:
    """Index, entry and leaf hash in hex of a proof file, and whether the entry is in its checkpoint."""
    found = PROOF.fullmatch(file)
    if not found:
        raise ValueError("this is not a proof of the public log")
    raw, index, note = b64decode(found[1], validate=True), int(found[2]), found[4].split("\n")
    entry = json.loads(raw)
    if canonical_json(entry).encode() != raw:
        raise ValueError("the entry is not canonical JSON")
    size, leaf = int(note[1]), leaf_hash(raw)
    root = _root_from(leaf, index, size, [b64decode(line, validate=True) for line in found[3].split()])
    check = (
        f"The lock is entry {index} of the {size} in the checkpoint",
        root == b64decode(note[2], validate=True),
    )
    return index, entry, leaf.hex(), check


def _witness_checks(
    proof: str, entry: dict[str, Any], info: dict[str, Any] | None, witnesses: Sequence[Witness]
) -> Iterator[Check]:
    """When each witness has cosigned the checkpoint. Signatures of other keys are ignored."""
    if not witnesses:
        return
    text, _, block = proof.partition("\n\n")[2].rpartition("\n\n")
    lines = [line.split(" ") for line in block.removesuffix("\n").split("\n")]
    signatures = [(line[1], b64decode(line[2], validate=True)) for line in lines if len(line) == 3]  # noqa: PLR2004
    chain, round_ = _network(entry, info), entry["beacon"]["round"]
    for witness in witnesses:
        try:
            at = witness.cosigned_at(f"{text}\n", signatures)
        except NotImplementedError as problem:
            yield str(problem), None
            continue
        except ValueError:
            yield f"The cosignature of {witness.name} is right", False
            continue
        if at is None:
            yield f"{witness.name} has not cosigned this checkpoint", None
            continue
        yield f"The checkpoint was cosigned by {witness.name} at {time_text(at)}", True
        if chain:
            early = (chain.time_ms(round_) - at) // 1000
            before = f"{early} s before" if early > 0 else f"{-early} s after"
            # The time of a cosignature is in whole seconds, rounded down.
            text_ = f"{witness.name} has cosigned the lock {before} round {round_} was published"
            yield text_, True if early > 0 else None


def _root_from(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    """The root that an inclusion proof leads to (RFC 9162, 2.1.3.2); None if it has another length."""
    if index >= size:
        return None
    reached, last = leaf, size - 1
    for sibling in path:
        if last == 0:
            return None
        if index & 1 or index == last:
            reached = node_hash(sibling, reached)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            reached = node_hash(reached, sibling)
        index, last = index >> 1, last >> 1
    return reached if last == 0 else None


def _seed_check(battle: dict[str, Any]) -> Check:
    seed = battle.get("serverSeed")
    if not seed:
        return "The server seed is not revealed yet", None
    is_right = commitment_of(seed) == battle["serverSeedCommitment"]
    return "The server seed is the one that was committed to", is_right


def _lock_check(battle: dict[str, Any], entry: dict[str, Any]) -> Check:
    """Whether the lock says what the battle shows. Only the log has the pseudonyms of players."""
    shown = {name: battle[name] for name in ("mode", "crazy", "terminal", "playersOnly")} | {
        "at": battle["lockedAt"],
        "battle": sha256(battle["id"].encode()).hexdigest(),
        "beacon": {"chain": entry["beacon"]["chain"], "round": battle["round"]},
        "cases": [case["snapshot"] for case in battle["cases"]],
        "commitment": battle["serverSeedCommitment"],
        "seats": [
            {
                "clientSeed": seat["clientSeed"],
                "player": "bot" if seat["bot"] else logged["player"],
                "team": seat["team"],
            }
            for seat, logged in zip(battle["seats"], entry["seats"], strict=False)
        ],
        "v": 2,
    }
    bots = [seat["bot"] for seat in battle["seats"]]
    others = sorted(name for name in shown.keys() | entry.keys() if shown.get(name) != entry.get(name))
    is_right = not others and bots == [seat["player"] == "bot" for seat in entry["seats"]]
    teams = Rules(mode=NORMAL, teams=battle["teams"]).team_of_seats
    is_right = is_right and teams == [seat["team"] for seat in entry["seats"]]
    what = f": {', '.join(others)}" if others else ""
    return f"The lock in the log is that of the battle as it is shown{what}", is_right


def _beacon_checks(file: dict[str, Any], battle: dict[str, Any], entry: dict[str, Any]) -> Iterator[Check]:
    chain, round_ = _network(entry, file.get("network")), entry["beacon"]["round"]
    if chain == QUICKNET:
        yield "The randomness is that of drand's public network quicknet", True
    elif chain and chain.beacon_id == DEMO:
        yield "The randomness is that of a demonstration: the house holds its key", None
    else:
        yield (
            f"The randomness is that of {entry['beacon']['chain']}: whoever runs that network is trusted",
            None,
        )
    if chain:
        yield _round_check(chain, entry)
    signature = battle.get("signature") or file.get("signature")
    if not signature:
        yield f"The beacon of round {round_} is missing", None
        return
    yield _signature_check(chain, round_, signature)
    if "randomness" in battle:
        randomness = sha256(bytes.fromhex(signature)).hexdigest()
        yield "The randomness is the hash of the signature", battle["randomness"] == randomness


def _network(entry: dict[str, Any], info: dict[str, Any] | None) -> Chain | None:
    """The network of a lock: quicknet, or the one that ``info`` describes as a relay does."""
    if entry["beacon"]["chain"] == QUICKNET.hash:
        return QUICKNET
    if not info:
        return None
    chain = Chain(
        public_key=info["public_key"],
        group_hash=info["groupHash"],
        genesis=info["genesis_time"],
        period=info["period"],
        beacon_id=info["metadata"]["beaconID"],
    )
    return chain if chain.hash == entry["beacon"]["chain"] and info["schemeID"] == SCHEME else None


def _round_check(chain: Chain, entry: dict[str, Any]) -> Check:
    due, round_ = chain.first_round_at(entry["at"] + LOCK_MS), entry["beacon"]["round"]
    return f"Round {round_} is the first six seconds or more after the lock", round_ == due


def _signature_check(chain: Chain | None, round_: int, signature: str) -> Check:
    if chain is None or not hasattr(G1Point, "hash_to_curve"):
        text = f"The signature of round {round_} is not checked: install py-arkworks-bls12381 0.5.0 or later"
        return text, None
    try:
        chain.verify(round_, signature)
    except BadBeacon:
        return f"The signature is that of round {round_}", False
    return f"The signature is that of round {round_}", True


def _outcome_checks(file: dict[str, Any], battle: dict[str, Any], leaf: str) -> Iterator[Check]:
    contents = {sha256(text.encode()).hexdigest(): text for text in file.get("snapshots", [])}
    hashes = [case["snapshot"] for case in battle["cases"]]
    signature = battle.get("signature") or file.get("signature")
    if not set(hashes) <= contents.keys():
        yield "The content of a case is missing", None
        return
    if not signature or "serverSeed" not in battle:
        return
    if not SIGNATURE.fullmatch(signature):
        raise ValueError("the signature of a beacon has 96 hexadecimal digits, 0-9 and a-f")
    outcome = recompute_battle(
        {name: battle[name] for name in ("serverSeed", "mode", "teams", "crazy", "terminal")}
        | {"lockHash": leaf, "randomness": sha256(bytes.fromhex(signature)).hexdigest()}
        | {"cases": [{"content": contents[each], "count": 1} for each in hashes]}
    )
    if battle["state"] == "void":
        paid = [f"seat {seat} {cents / 100:.2f}" for seat, cents in enumerate(outcome["payouts"]) if cents]
        yield f"Void ({battle['reason']}). Otherwise: {', '.join(paid) or 'nobody would have won'}", True
        return
    drawn = [[{**each, "price": _in_cents(each["price"])} for each in items] for items in battle["drawn"]]
    yield "The seeds give the tickets and the items that were shown", drawn == outcome["drawn"]
    shown = {name: [_in_cents(each) for each in battle[name]] for name in ("values", "payouts")}
    yield "The values are those of the items", shown["values"] == outcome["values"]
    yield "The tie is the one that was shown", battle["tie"] == outcome["tie"]
    yield "The winners are those that were shown", battle["winners"] == outcome["winners"]
    yield (
        "The payouts are those that were shown",
        list(map(_in_cents, battle["payouts"])) == outcome["payouts"],
    )


def _receipt_checks(
    receipt: dict[str, Any], entry: dict[str, Any], info: dict[str, Any] | None
) -> Iterator[Check]:
    """What the browser has known of the battle since the player took the seat, and when the receipt came."""
    known = receipt.get("known", {})
    yield "The lock is that of the battle", sha256(receipt["battle"].encode()).hexdigest() == entry["battle"]
    teams = [seat["team"] for seat in entry["seats"]]
    names = [name for name in TEAMS if Rules(mode=NORMAL, teams=name).team_of_seats == teams]
    locked = entry | {"serverSeedCommitment": entry["commitment"], "teams": names[0] if names else None}
    if "seat" in known:
        locked["clientSeed"] = entry["seats"][known["seat"]]["clientSeed"]
    others = [name for name, value in known.items() if name != "seat" and locked.get(name) != value]
    what = f": {', '.join(others)}" if others else ""
    yield f"The lock is what your browser has known{what}", not others if known else None
    chain = _network(entry, info)
    if chain is None or "arrivedAt" not in receipt:
        yield "Whether the receipt came before the round was published can't be checked", None
        return
    early_ms = chain.time_ms(entry["beacon"]["round"]) - receipt["arrivedAt"]
    yield f"The receipt came {early_ms / 1000:.1f} s before the round was published", early_ms > 0


def _in_cents(coins: float | str) -> int:
    return round(float(str(coins).removeprefix("$")) * 100)


def _print_battle(path: str, witnesses: Sequence[Witness]) -> int:
    """Print the checks of a file; the exit status."""
    file = json.loads(Path(path).read_text(encoding="utf-8"))
    results = []
    try:
        whole = file if "battle" in file else {"battle": file}
        for text, is_right in check_battle(whole, witnesses):
            results.append(is_right)
            print({True: "✓", False: "✗", None: "?"}[is_right], text)
    except (KeyError, TypeError, AttributeError, IndexError) as problem:
        raise ValueError("this is not the JSON of a battle") from problem
    return 1 if False in results else 2 if None in results else 0


# --- The command ------------------------------------------------------------------------------------------


def wrong_vectors(vectors: dict[str, Any]) -> list[str]:
    """The vectors that this program gets wrong."""
    wrong = []
    for vector in vectors["spins"] + vectors["openings"]:
        result = verify(vector["input"])
        if any(result[name] != value for name, value in vector["output"].items()):
            wrong.append(vector["why"])
    for vector in vectors["refused"] + vectors["refusedOpenings"]:
        try:
            verify(vector["input"])
        except ValueError:
            continue
        wrong.append(vector["why"])
    battles = vectors["battles"]
    wrong += [each["why"] for each in battles if recompute_battle(each["input"]) != each["output"]]
    for vector in vectors["refusedBattles"]:
        try:
            recompute_battle(vector["input"])
        except ValueError:
            continue
        wrong.append(vector["why"])
    return wrong


OPTIONS = (
    ("--commitment", "serverSeedCommitment", "HASH", "as it was announced before the bet"),
    ("--server-seed", "serverSeed", "SEED", "as the proof revealed it"),
    ("--client-seed", "clientSeed", "SEED", "as it was sent with the bet"),
    ("--nonce", "nonce", "NUMBER", "the number of the bet"),
    ("--amount", "betAmount", "COINS", "the wager, such as 1.50"),
    ("--price", "price", "COINS", "the price of the item, such as 12.34"),
    ("--house-edge", "houseEdge", "FRACTION", "a fraction, 0.05 if it is left out"),
    ("--snapshot", "content", "FILE", "the snapshot of the case that was opened"),
    ("--snapshot-hash", "snapshot", "HASH", "as the page of the case showed it"),
)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--algorithm", default=SPIN, metavar="NAME", help=f"{', '.join(GAMES)} (%(default)s)")
    for option, name, metavar, text in OPTIONS:
        parser.add_argument(option, dest=name, metavar=metavar, help=text)
    parser.add_argument("--battle", metavar="FILE", help="check the file of a battle, or a receipt")
    parser.add_argument(
        "--witness", action="append", default=[], metavar="VKEY", help="of a witness; may be repeated"
    )
    parser.add_argument("--vectors", metavar="FILE", help="check this program with the vectors of a file")
    return parser


def main() -> None:
    """Print the recomputed bet as JSON."""
    parser = _parser()
    options = vars(parser.parse_args())
    vectors, battle, keys = options.pop("vectors"), options.pop("battle"), options.pop("witness")
    if battle:
        try:
            sys.exit(_print_battle(battle, [Witness(key) for key in keys]))
        except (OSError, ValueError) as problem:
            parser.exit(1, f"{problem}\n")
    if vectors:
        wrong = wrong_vectors(json.loads(Path(vectors).read_text(encoding="utf-8")))
        print("\n".join(wrong) or "All vectors are right.")
        sys.exit(1 if wrong else 0)
    for name in ("serverSeed", "clientSeed", "nonce"):
        if options[name] is None:
            parser.error("--server-seed, --client-seed and --nonce are required")
    try:
        if options["content"] is not None:
            # An editor may have added the line end.
            options["content"] = Path(options["content"]).read_bytes().decode().rstrip("\r\n")
        result = verify({name: value for name, value in options.items() if value is not None})
    except (ValueError, OSError) as problem:
        sys.exit(f"{problem}")
    print(json.dumps(result, indent=2))
    if not result.get("committed", True):
        sys.exit("The server seed is not the one that was committed to.")
    if not result.get("shown", True):
        sys.exit("The snapshot is not the one that was shown.")


if __name__ == "__main__":
    main()
