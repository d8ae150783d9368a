"""Verify a provably fair bet. Needs Python 3.9 or later and no packages.

Recomputes the roll or the ticket from the seeds, and whether the server seed is the one that was committed
to. For a spin also the threshold from wager and price; for the opening of a case the item, from the snapshot
that GET /snapshots/<hash> serves. All values are in the proof of the bet. Exits with 1 when the server seed
or the snapshot is another one, or when a value is not valid. --vectors checks this program itself.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SPIN = "upgrader-1"
GAMES = {SPIN: "", "case-1": "case", "irl-1": "irl"}
"""The game in the message of the HMAC, by algorithm."""

MAX_CENTS = 100_000_000_000
MAX_NONCE = 2**63 - 1

NONCE = re.compile("[1-9][0-9]{0,18}")
AMOUNT = re.compile(r"\$?([0-9]{1,10})(?:\.([0-9]{1,2}))?")
FRACTION = re.compile(r"(?=.)0?(?:\.([0-9]{1,6}))?")

# BEGIN of the rules, which generate.py copies from services/bets/rolls.py of the platform.

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
    parser.add_argument("--vectors", metavar="FILE", help="check this program with the vectors of a file")
    return parser


def main() -> None:
    """Print the recomputed bet as JSON."""
    parser = _parser()
    options = vars(parser.parse_args())
    vectors = options.pop("vectors")
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
