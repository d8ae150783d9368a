"""Reading a price feed's document."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from services.items.prices.sources import BadDocument

CURRENCY = "USD"
"""The currency of all prices. A feed in another one is refused."""

MAX_VALUES = 2_000_000
"""The most in a document. 64 MB can hold more than 20 million values, which would fill the memory."""

NOT_AN_OBJECT = "the price feed is not a JSON object, or was cut off"


def read(body: bytes) -> Mapping[str, object]:
    """The prices of a feed's response, by name. The price of a name that occurs twice is None.

    This takes 15 ms for 34,500 prices, and a second for a million. Raises BadDocument.
    """
    # Before each value is one of these. Names may contain them too, so this may count too many.
    if sum(map(body.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise BadDocument(f"the price feed has more than {MAX_VALUES} values")
    try:
        document = _decode(body.decode())
    except (ValueError, InvalidOperation, RecursionError):
        raise BadDocument(NOT_AN_OBJECT) from None
    return prices_of(document)


def prices_of(document: object) -> Mapping[str, object]:
    """The prices of ``{"metadata": {"currency": "USD"}, "prices": {marketHashName: cents}}``, by name.

    The prices are not checked. Raises BadDocument.
    """
    if not isinstance(document, dict):
        raise BadDocument(NOT_AN_OBJECT)
    metadata, prices = document.get("metadata"), document.get("prices")
    if not isinstance(metadata, dict) or not isinstance(prices, dict):
        raise BadDocument("the price feed lacks the objects metadata and prices")
    if metadata.get("currency") != CURRENCY:
        raise BadDocument(f"the currency of the price feed is not {CURRENCY}")
    return prices


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        # No price rather than an arbitrary one of the two.
        times = Counter(name for name, _ in pairs)
        found |= {name: None for name, count in times.items() if count > 1}
    return found


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_decode = json.JSONDecoder(parse_float=Decimal, parse_constant=_refuse, object_pairs_hook=_object).decode
