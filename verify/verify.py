"""Verify a provably fair spin. Needs Python 3.9 or later and no packages.

Recomputes the roll from the seeds, the threshold from wager and price, and whether the server seed is the one
that was committed to. All values are in the proof of the spin and in GET /upgrader/bets/<nonce>. Exits with 1
when the server seed is another one, or when a value is not valid. --vectors checks this program itself.
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

ALGORITHM = "upgrader-1"
ROLL_RANGE = 10_000_000
ROLLS_PER_PERCENT = 100_000
PPM = 1_000_000
MAX_CENTS = 100_000_000_000
MAX_NONCE = 2**63 - 1

HEX_64 = re.compile("[0-9a-f]{64}")
CLIENT_SEED = re.compile("[A-Za-z0-9_-]{4,64}")
NONCE = re.compile("[1-9][0-9]{0,18}")
AMOUNT = re.compile(r"\$?([0-9]{1,10})(?:\.([0-9]{1,2}))?")
FRACTION = re.compile(r"(?=.)0?(?:\.([0-9]{1,6}))?")


class InvalidValue(ValueError):
    """A value that no spin can have."""


def verify(spin: dict[str, str]) -> dict[str, Any]:
    """Recompute a spin. Raises InvalidValue.

    ``spin`` has serverSeed, clientSeed and nonce, and may have algorithm, serverSeedCommitment, betAmount
    with price, and houseEdge (a fraction, 0.05 if it is left out). Without a commitment ``committed`` is left
    out of the result, without a wager everything from ``threshold`` on.
    """
    if spin.get("algorithm", ALGORITHM) != ALGORITHM:
        raise InvalidValue(f"this program verifies {ALGORITHM} only")
    server_seed = _matching(
        HEX_64, spin["serverSeed"], "a server seed has 64 hexadecimal digits, 0-9 and a-f"
    )
    client_seed = _matching(
        CLIENT_SEED, spin["clientSeed"], "a client seed has 4 to 64 letters, digits, dashes and underscores"
    )
    nonce = _matching(NONCE, spin["nonce"], "a nonce is a whole number from 1")
    if int(nonce) > MAX_NONCE:
        raise InvalidValue(f"a nonce is {MAX_NONCE} at most")
    digest = hmac.new(server_seed.encode(), f"{client_seed}:{nonce}:0".encode(), hashlib.sha256).digest()
    roll = int.from_bytes(digest, "big") * ROLL_RANGE >> 256
    result: dict[str, Any] = {"serverSeedCommitment": hashlib.sha256(server_seed.encode()).hexdigest()}
    if "serverSeedCommitment" in spin:
        result["committed"] = result["serverSeedCommitment"] == spin["serverSeedCommitment"]
    result |= {"digest": digest.hex(), "roll": roll, "percent": roll / ROLLS_PER_PERCENT}
    if ("betAmount" in spin) != ("price" in spin):
        raise InvalidValue("wager and price go together")
    if "betAmount" in spin:
        threshold = _threshold(spin)
        result |= {
            "threshold": threshold,
            "chance": threshold / ROLLS_PER_PERCENT,
            "win": roll < threshold,
        }
    return result


def _threshold(spin: dict[str, str]) -> int:
    """How many of the 10,000,000 rolls win, rounded down."""
    wager, price = _cents(spin["betAmount"]), _cents(spin["price"])
    if not 0 < wager < price:
        raise InvalidValue("the wager must be above 0 and below the price")
    fraction = FRACTION.fullmatch(spin.get("houseEdge", "0.05"))
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
    for vector in vectors["spins"]:
        result = verify(vector["input"])
        if any(result[name] != value for name, value in vector["output"].items()):
            wrong.append(vector["why"])
    for vector in vectors["refused"]:
        try:
            verify(vector["input"])
        except InvalidValue:
            continue
        wrong.append(vector["why"])
    return wrong


def main() -> None:
    """Print the recomputed spin as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--algorithm", default=ALGORITHM, metavar="NAME", help=ALGORITHM)
    parser.add_argument(
        "--commitment",
        dest="serverSeedCommitment",
        metavar="HASH",
        help="as it was announced before the spin",
    )
    parser.add_argument("--server-seed", dest="serverSeed", metavar="SEED", help="as the proof revealed it")
    parser.add_argument(
        "--client-seed", dest="clientSeed", metavar="SEED", help="as it was sent with the spin"
    )
    parser.add_argument("--nonce", metavar="NUMBER", help="the number of the spin")
    parser.add_argument("--amount", dest="betAmount", metavar="COINS", help="the wager, such as 1.50")
    parser.add_argument("--price", metavar="COINS", help="the price of the item, such as 12.34")
    parser.add_argument(
        "--house-edge", dest="houseEdge", metavar="FRACTION", help="a fraction, 0.05 if it is left out"
    )
    parser.add_argument("--vectors", metavar="FILE", help="check this program with the vectors of a file")
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
        result = verify({name: value for name, value in options.items() if value is not None})
    except InvalidValue as problem:
        sys.exit(f"{problem}")
    print(json.dumps(result, indent=2))
    if not result.get("committed", True):
        sys.exit("The server seed is not the one that was committed to.")


if __name__ == "__main__":
    main()
