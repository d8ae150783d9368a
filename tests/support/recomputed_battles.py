"""A second program that decides battles, from the public description of their rules alone.

It reads what anybody can: ``GET /battles/:id``, the snapshots of the cases, and the entries of the log. It
shares no code with the server, and counts in fractions where the server counts in integers.
"""

import hashlib
import hmac
import json
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

Document = dict[str, Any]

TILE = 256


def log_entries(read: Callable[[str], bytes]) -> Iterator[bytes]:
    """All entries of a log. ``read`` gets a file by its path below the log, such as ``checkpoint``."""
    size = int(read("checkpoint").split(b"\n")[1])
    for tile in range(math.ceil(size / TILE)):
        width = min(TILE, size - tile * TILE)
        name = f"{tile:03d}" if tile < 1_000 else f"x{tile // 1_000:03d}/{tile % 1_000:03d}"
        bundle = read(f"tile/entries/{name}" + (f".p/{width}" if width < TILE else ""))
        while bundle:
            length = int.from_bytes(bundle[:2], "big")
            yield bundle[2 : 2 + length]
            bundle = bundle[2 + length :]


class LoggedBattles:
    """The locks and the ends of battles in a log, by the name of the battle."""

    def __init__(self, entries: Iterator[bytes]) -> None:
        self.locks: dict[str, tuple[int, bytes]] = {}
        self.ends: dict[str, Document] = {}
        self.problems: list[str] = []
        for index, raw in enumerate(entries):
            entry = json.loads(raw)
            if "beacon" in entry:
                self._lock(index, entry, raw)
            elif "lock" in entry:
                self._end(index, entry)

    def _lock(self, index: int, entry: Document, raw: bytes) -> None:
        if entry["battle"] in self.locks:
            self.problems.append(f"entry {index} locks a battle again")
        self.locks[entry["battle"]] = index, raw

    def _end(self, index: int, entry: Document) -> None:
        if entry["battle"] in self.ends:
            self.problems.append(f"entry {index} ends a battle again")
        if self.locks.get(entry["battle"], (None,))[0] != entry["lock"]:
            self.problems.append(f"entry {index} ends a battle that entry {entry['lock']} has not locked")
        self.ends[entry["battle"]] = entry


def contradictions(
    battle: Document, logged: LoggedBattles, snapshot: Callable[[str], bytes]
) -> Iterator[str]:
    """What a shown battle says otherwise than the log, the snapshots of its cases and the rules.

    ``snapshot`` gets the text of a snapshot by its hash.
    """
    name = hashlib.sha256(battle["id"].encode()).hexdigest()
    state, end = battle["state"], logged.ends.get(name)
    if (name in logged.locks) != (state in ("locked", "settled", "void")):
        yield f"it is {state}, and the log has {'a' if name in logged.locks else 'no'} lock"
        return
    if (end is not None) != (state in ("settled", "void")):
        yield f"it is {state}, and the log has {'an' if end else 'no'} end"
        return
    if name not in logged.locks:
        return
    index, raw = logged.locks[name]
    yield from _differing("lock", json.loads(raw), _lock_of(battle), battle["entry"], index)
    if end is None:
        return
    if hashlib.sha256(end["seed"].encode()).hexdigest() != battle["serverSeedCommitment"]:
        yield "its seed has another hash than its commitment"
    shown = {"seed": battle["serverSeed"], "lock": battle["entry"]}
    shown |= {"signature": battle["signature"]} if state == "settled" else {"reason": battle["reason"]}
    yield from _differing("end", end, shown)
    if state == "settled":
        outcome = recomputed(json.loads(raw), raw, end["seed"], end["signature"], snapshot)
        yield from _differing("outcome", battle, outcome)


def _lock_of(battle: Document) -> Document:
    """The fields of the lock that a shown battle has too. Pseudonyms hide the players."""
    return {
        "at": battle["lockedAt"],
        "cases": [case["snapshot"] for case in battle["cases"]],
        "commitment": battle["serverSeedCommitment"],
        "crazy": battle["crazy"],
        "mode": battle["mode"],
        "playersOnly": battle["playersOnly"],
        "terminal": battle["terminal"],
    }


def _differing(
    what: str, entry: Document, shown: Document, index: int = 0, found_at: int = 0
) -> Iterator[str]:
    if index != found_at:
        yield f"its {what} is entry {found_at}, not {index}"
    for field, value in shown.items():
        if entry[field] != value:
            yield f"{field} of its {what} is {entry[field]!r}, not {value!r}"


def recomputed(
    lock: Document, raw: bytes, seed: str, signature: str, snapshot: Callable[[str], bytes]
) -> Document:
    """The outcome of a settled battle as it must be shown; amounts in coins.

    ``raw`` are the bytes of the lock's entry.
    """
    randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
    leaf = hashlib.sha256(b"\x00" + raw).hexdigest()

    def part(a: str | int, b: int) -> Fraction:
        """A number from 0 up to 1."""
        message = f"battle-1:{leaf}:{randomness}:{a}:{b}"
        drawn = hmac.new(seed.encode("ascii"), message.encode("ascii"), hashlib.sha256).hexdigest()
        return Fraction(int(drawn, 16), 2**256)

    cases = [json.loads(_checked(snapshot(hash_), hash_)) for hash_ in lock["cases"]]
    seats = range(len(lock["seats"]))
    drawn = [
        [_item(case, math.floor(part(seat, number) * 10**18)) for number, case in enumerate(cases)]
        for seat in seats
    ]
    cents = [[round(item["price"] * 100) for item in items] for items in drawn]
    teams = [[seat for seat in seats if lock["seats"][seat]["team"] == team] for team in _teams(lock)]
    counted = [items[-1:] if lock["terminal"] else items for items in cents]
    values = [sum(sum(counted[seat]) for seat in team) for team in teams]
    tie, winners = _winners(lock, values, part)
    paid = [seat for team in winners for seat in teams[team]]
    pot = sum(map(sum, cents))
    payouts = [pot // len(paid) if seat in paid else 0 for seat in seats]
    first = math.floor(part("rest", 0) * len(paid))
    for cent in range(pot % len(paid)):
        payouts[paid[(first + cent) % len(paid)]] += 1
    return {
        "randomness": randomness,
        "drawn": drawn,
        "values": [value / 100 for value in values],
        "tie": tie,
        "winners": winners,
        "payouts": [payout / 100 for payout in payouts],
    }


def _winners(
    lock: Document, values: list[int], part: Callable[[str | int, int], Fraction]
) -> tuple[list[int] | None, list[int]]:
    """The teams that have tied, if they have, and those that get the pot."""
    everybody = list(range(len(values)))
    if lock["mode"] == "shared":
        return None, everybody
    if lock["mode"] == "jackpot":
        weights = [sum(values) - value if lock["crazy"] else value for value in values]
        if not any(weights):
            weights = [1 for _ in values]
        left = math.floor(part("jackpot", 0) * sum(weights))
        for team in everybody:
            left -= weights[team]
            if left < 0:
                return None, [team]
    best = min(values) if lock["crazy"] else max(values)
    tied = [team for team in everybody if values[team] == best]
    if len(tied) == 1:
        return None, tied
    return tied, [tied[math.floor(part("tie", 0) * len(tied))]]


def _teams(lock: Document) -> range:
    return range(1 + max(seat["team"] for seat in lock["seats"]))


def _item(case: Document, ticket: int) -> Document:
    """What a ticket wins of a case."""
    end = 0
    for item in case["items"]:
        end += int(item["width"])
        if ticket < end:
            return {"item": item["name"], "price": int(item["price"]) / 100, "ticket": str(ticket)}
    raise ValueError("the widths of a case sum to 10**18")


def _checked(text: bytes, hash_: str) -> bytes:
    if hashlib.sha256(text).hexdigest() != hash_:
        raise ValueError("a snapshot has another hash than its name")
    return text
