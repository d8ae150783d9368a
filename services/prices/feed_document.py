"""Parsing a price feed's document with ijson, a chunk at a time.

Parsed in one go, 64 MB would block the event loop for seconds.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ijson

from services.prices.sources import BadDocument

CURRENCY = "USD"
"""The currency of all prices. A feed in another one is refused."""

CHUNK_BYTES = 8 * 1024
"""Parsing takes 3 ms at most, when it is full of short prices."""

MAX_VALUE_BYTES = 256 * 1024
"""Of one text or number, or of blanks. The parser reads a value again that continues in the next chunk."""

MAX_PRICES = 1_000_000
MAX_DEPTH = 20
METADATA, PRICES = "metadata", "prices"
DEPTH_OF_PRICES = 2
"""The depth of the document's own keys is 1."""

NOT_AN_OBJECT = "the price feed is not a JSON object, or was cut off"


def read(body: bytes, *, pause: Callable[[], None]) -> Mapping[str, object]:
    """The prices of ``{"metadata": {"currency": "USD"}, "prices": {marketHashName: cents}}``, by name.

    The prices are not checked: a whole number is an int, any other number a Decimal, an array or object None.
    Of two prices for one name the last counts. ``pause`` is called after every chunk. Raises BadDocument.
    """
    document = _Document()
    events = ijson.sendable_list()
    parser = ijson.basic_parse_coro(events)
    last_event_at = 0
    try:
        for start in range(0, len(body), CHUNK_BYTES):
            parser.send(body[start : start + CHUNK_BYTES])
            if events:
                last_event_at = start
            elif start - last_event_at > MAX_VALUE_BYTES:
                raise BadDocument(f"the price feed holds a value of more than {MAX_VALUE_BYTES} bytes")
            document.add(events)
            del events[:]
            pause()
        parser.close()
        document.add(events)
    except (ijson.JSONError, ValueError, ArithmeticError):
        raise BadDocument(NOT_AN_OBJECT) from None
    if document.metadata is None or document.prices is None:
        raise BadDocument("the price feed lacks the objects metadata and prices")
    if document.metadata.get("currency") != CURRENCY:
        raise BadDocument(f"the currency of the price feed is not {CURRENCY}")
    return document.prices


class _Document:
    """The objects metadata and prices, as far as they have been parsed."""

    def __init__(self) -> None:
        self.metadata: dict[str, object] | None = None
        self.prices: dict[str, object] | None = None
        self._object: dict[str, object] | None = None
        """The one of the two that is being parsed."""
        self._key = ""
        self._depth = 0
        """How many arrays and objects are open."""

    def add(self, events: Iterable[tuple[str, Any]]) -> None:
        """Take the parser's next events. Raises BadDocument."""
        for event, value in events:
            if event == "map_key":
                if self._depth <= DEPTH_OF_PRICES:
                    self._key = value
            elif event in ("end_map", "end_array"):
                self._depth -= 1
            else:
                if self._depth == DEPTH_OF_PRICES and self._object is not None:
                    self._object[self._key] = value
                elif self._depth <= 1:
                    self._open(is_object=event == "start_map")
                if event in ("start_map", "start_array"):
                    self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BadDocument(f"the price feed is nested more than {MAX_DEPTH} deep")
        if self.prices and len(self.prices) > MAX_PRICES:
            raise BadDocument(f"the price feed has more than {MAX_PRICES} prices")

    def _open(self, *, is_object: bool) -> None:
        """Begin the document, or the value of one of its keys."""
        if self._depth == 0 and not is_object:
            raise BadDocument(NOT_AN_OBJECT)
        self._object = {} if is_object and self._depth == 1 and self._key in (METADATA, PRICES) else None
        if self._depth == 1 and self._key == METADATA:
            self.metadata = self._object
        elif self._depth == 1 and self._key == PRICES:
            self.prices = self._object
