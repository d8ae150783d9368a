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
from pathlib import Path
from typing import Any

SPIN = "upgrader-1"
GAMES = {"case-1": "case", "irl-1": "irl"}
"""The opening of a case, by algorithm: how the HMAC's message begins."""

ROLL_RANGE = 10_000_000
ROLLS_PER_PERCENT = 100_000
PPM = 1_000_000
TICKET_RANGE = 10**18
TICKETS_PER_DECIMAL = 10**11
DECIMALS = 100_000
MAX_CENTS = 100_000_000_000
MAX_NONCE = 2**63 - 1

HEX_64 = re.compile("[0-9a-f]{64}")
CLIENT_SEED = re.compile("[A-Za-z0-9_-]{4,64}")
NONCE = re.compile("[1-9][0-9]{0,18}")
AMOUNT = re.compile(r"\$?([0-9]{1,10})(?:\.([0-9]{1,2}))?")
WHOLE = re.compile("0|[1-9][0-9]{0,18}")
FRACTION = re.compile(r"(?=.)0?(?:\.([0-9]{1,6}))?")


class InvalidValue(ValueError):
    """A value that no bet can have."""


def verify(bet: dict[str, str]) -> dict[str, Any]:
    """Recompute a bet. Raises InvalidValue.

    ``bet`` has serverSeed, clientSeed and nonce, and may have algorithm and serverSeedCommitment. A spin may
    have betAmount with price, and houseEdge (a fraction, 0.05 if it is left out); an opening content (the
    canonical JSON of the case) and snapshot (its hash as it was shown). The result lacks what needs a value
    that is left out.
    """
    algorithm = bet.get("algorithm", SPIN)
    if algorithm != SPIN and algorithm not in GAMES:
        raise InvalidValue(f"this program verifies {SPIN}, {' and '.join(GAMES)}")
    server_seed = _matching(HEX_64, bet["serverSeed"], "a server seed has 64 hexadecimal digits, 0-9 and a-f")
    client_seed = _matching(
        CLIENT_SEED, bet["clientSeed"], "a client seed has 4 to 64 letters, digits, dashes and underscores"
    )
    nonce = _matching(NONCE, bet["nonce"], "a nonce is a whole number from 1")
    if int(nonce) > MAX_NONCE:
        raise InvalidValue(f"a nonce is {MAX_NONCE} at most")
    message = (
        f"{client_seed}:{nonce}:0" if algorithm == SPIN else f"{GAMES[algorithm]}:{client_seed}:{nonce}:0"
    )
    digest = hmac.new(server_seed.encode(), message.encode(), hashlib.sha256).digest()
    result: dict[str, Any] = {"serverSeedCommitment": _sha256(server_seed)}
    if "serverSeedCommitment" in bet:
        result["committed"] = result["serverSeedCommitment"] == bet["serverSeedCommitment"]
    result["digest"] = digest.hex()
    return result | (_spin if algorithm == SPIN else _opening)(bet, int.from_bytes(digest, "big"))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _spin(bet: dict[str, str], digest: int) -> dict[str, Any]:
    roll = digest * ROLL_RANGE >> 256
    result = {"roll": roll, "percent": roll / ROLLS_PER_PERCENT}
    if ("betAmount" in bet) != ("price" in bet):
        raise InvalidValue("wager and price go together")
    if "betAmount" not in bet:
        return result
    threshold = _threshold(bet)
    return result | {
        "threshold": threshold,
        "chance": threshold / ROLLS_PER_PERCENT,
        "win": roll < threshold,
    }


def _opening(bet: dict[str, str], digest: int) -> dict[str, Any]:
    ticket = digest * TICKET_RANGE >> 256
    result: dict[str, Any] = {"ticket": str(ticket), "percent": ticket // TICKETS_PER_DECIMAL / DECIMALS}
    if "content" not in bet:
        return result
    items = _items(bet["content"])
    result["snapshot"] = _sha256(bet["content"])
    if "snapshot" in bet:
        result["shown"] = result["snapshot"] == bet["snapshot"]
    end = 0
    for item in items:
        end += int(item["width"])
        if ticket < end:
            break
    return result | {"item": item["name"], "amount": int(item["price"]) / 100}


def _items(content: str) -> list[dict[str, str]]:
    """The items of a case. The text must be its canonical JSON, which only one text is."""
    try:
        case = json.loads(content)
        items = [{name: item[name] for name in ("name", "price", "width")} for item in case["items"]]
        canonical = {"id": case["id"], "items": items, "price": case["price"]}
        numbers = [case["price"], *(item[name] for item in items for name in ("price", "width"))]
        is_valid = (
            all(isinstance(text, str) for text in (case["id"], *(item["name"] for item in items)))
            and all(WHOLE.fullmatch(number) for number in numbers)
            and json.dumps(canonical, ensure_ascii=False, separators=(",", ":")) == content
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        is_valid = False
    if not is_valid:
        raise InvalidValue("the snapshot is not the canonical JSON of a case")
    if sum(int(item["width"]) for item in items) != TICKET_RANGE:
        raise InvalidValue("the widths of the items must sum to 10^18")
    return items


def _threshold(bet: dict[str, str]) -> int:
    """How many of the 10,000,000 rolls win, rounded down."""
    wager, price = _cents(bet["betAmount"]), _cents(bet["price"])
    if not 0 < wager < price:
        raise InvalidValue("the wager must be above 0 and below the price")
    fraction = FRACTION.fullmatch(bet.get("houseEdge", "0.05"))
    if not fraction:
        raise InvalidValue("a house edge is a fraction from 0 to 0.999999, such as 0.05")
    edge_ppm = int((fraction[1] or "").ljust(6, "0"))
    return ROLL_RANGE * (PPM - edge_ppm) * wager // (PPM * price)


def _cents(text: str) -> int:
    amount = AMOUNT.fullmatch(text)
    cents = int(amount[1]) * 100 + int((amount[2] or "").ljust(2, "0")) if amount else MAX_CENTS + 1
    if cents > MAX_CENTS:
        raise InvalidValue("an amount is a number from 0 to 1000000000 with at most two decimals")
    return cents


def _matching(pattern: re.Pattern[str], text: str, otherwise: str) -> str:
    if not pattern.fullmatch(text):
        raise InvalidValue(otherwise)
    return text


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
        except InvalidValue:
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
    names = ", ".join([SPIN, *GAMES])
    parser.add_argument("--algorithm", default=SPIN, metavar="NAME", help=f"{names} (%(default)s)")
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
    except (InvalidValue, OSError, UnicodeDecodeError) as problem:
        sys.exit(f"{problem}")
    print(json.dumps(result, indent=2))
    if not result.get("committed", True):
        sys.exit("The server seed is not the one that was committed to.")
    if not result.get("shown", True):
        sys.exit("The snapshot is not the one that was shown.")


if __name__ == "__main__":
    main()
