"""Reading a price feed's document in slices.

Read in one go, 64 MB of it would stop every player for a second.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from json.decoder import scanstring  # type: ignore[attr-defined]  # the stubs leave it out
from typing import Any

from services.item_import import CURRENCY
from services.prices.errors import BadDocument

ENTRIES_A_SLICE = 1_000
MOST_DIGITS = 15
PRICES = "prices"

_BLANKS = re.compile(r"[ \t\n\r]*")


def _whole(digits: str) -> int | str:
    # Longer ones are beyond any price, and Python refuses to read those of thousands of digits.
    return int(digits) if len(digits) <= MOST_DIGITS else digits


# What is not written as a whole number stays text, which is no price.
_decoder: Any = json.JSONDecoder(parse_int=_whole, parse_float=str, parse_constant=str)


def read(body: bytes, *, pause: Callable[[], None]) -> Mapping[str, object]:
    """What ``{"metadata": {"currency": "USD"}, "prices": {marketHashName: cents}}`` says of each item.

    The prices themselves are not judged. ``pause`` is called between the slices. Raises BadDocument.
    """
    try:
        document = _Reader(body.decode()).document(pause)
    except (ValueError, RecursionError):
        raise BadDocument("the price feed is not a JSON object, or was cut off") from None
    metadata, prices = document.get("metadata"), document.get(PRICES)
    if not isinstance(metadata, dict) or not isinstance(prices, dict):
        raise BadDocument("the price feed lacks the objects metadata and prices")
    if metadata.get("currency") != CURRENCY:
        raise BadDocument(f"the currency of the price feed is not {CURRENCY}")
    return prices


class _Reader:
    """A JSON object, read key by key; the library reads the values. Raises ValueError where it is none."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def document(self, pause: Callable[[], None]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key in self._keys():
            is_prices = key == PRICES and self._text.startswith("{", self._at)
            found[key] = self._prices(pause) if is_prices else self._value()
        self._skip_blanks()
        if self._at != len(self._text):
            raise ValueError("something follows the object")
        return found

    def _prices(self, pause: Callable[[], None]) -> dict[str, object]:
        prices: dict[str, object] = {}
        for number, name in enumerate(self._keys(), start=1):
            prices[name] = self._value()
            if number % ENTRIES_A_SLICE == 0:
                pause()
        return prices

    def _keys(self) -> Iterator[str]:
        """The keys of the object that begins here. Whoever takes one reads its value before the next."""
        self._expect("{")
        if self._take("}"):
            return
        while True:
            self._expect('"')
            key, self._at = scanstring(self._text, self._at)
            self._expect(":")
            self._skip_blanks()
            yield key
            if self._take("}"):
                return
            self._expect(",")

    def _value(self) -> object:
        try:
            value, self._at = _decoder.scan_once(self._text, self._at)
        except StopIteration:
            raise ValueError("a value is missing") from None
        return value

    def _take(self, char: str) -> bool:
        self._skip_blanks()
        if not self._text.startswith(char, self._at):
            return False
        self._at += 1
        return True

    def _expect(self, char: str) -> None:
        if not self._take(char):
            raise ValueError(f"{char} is missing")

    def _skip_blanks(self) -> None:
        self._at = _BLANKS.match(self._text, self._at).end()  # type: ignore[union-attr]  # matches nothing too
