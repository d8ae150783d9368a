"""JSON with exact decimals.

Python's own reader turns 1.005 into the nearest double, accepts NaN, and raises RecursionError for deep
nesting. Money must not be parsed that way.
"""

import json
from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import Any


class RepeatedKey(ValueError):
    """An object has a key more than once, so two parsers could take different values."""


def loads(text: str | bytes | bytearray, **_ignored: object) -> Any:
    """Parse JSON; fractions become Decimal, NaN and Infinity a non-finite Decimal.

    Raises RepeatedKey, and ValueError for anything malformed, too deep, or with an integer of thousands of
    digits.
    """
    try:
        # Decoded here: json.loads lets surrogates through.
        return _decode(text if isinstance(text, str) else text.decode(json.detect_encoding(text)))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except InvalidOperation:
        raise ValueError("the exponent is too large") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        [(repeated, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise RepeatedKey(f"an object has the key {repeated!r} more than once")
    return found


def dumps(value: object, **_ignored: object) -> str:
    """Compact JSON text; a Decimal becomes a number. Raises ValueError for NaN and Infinity."""
    return _encode(value)


def _number(value: object) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


# Made once: for the short texts of a bet, json.loads and json.dumps take half of their time to make them.
_decode = json.JSONDecoder(parse_float=Decimal, parse_constant=Decimal, object_pairs_hook=_object).decode
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=_number).encode
