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
CHARS_A_SLICE = 256 * 1024

MOST_PRICES = 1_000_000
LONGEST_PRICE = 1024
LONGEST_VALUE = 1024 * 1024
"""Of text: what the document may hold beside the prices, under one key. One call reads it."""

LONGEST_KEY = 4096
MOST_KEYS = 100
MOST_DIGITS = 15
METADATA, PRICES = "metadata", "prices"

_BLANKS = re.compile(r"[ \t\n\r]{0,65536}")
_USUAL_PRICE = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?=[ \t\n\r,}])")


def _whole(digits: str) -> int | str:
    # Longer ones are beyond any price, and Python refuses to read those of thousands of digits.
    return int(digits) if len(digits) <= MOST_DIGITS else digits


# What is not written as a whole number stays text, which is no price.
_decoder: Any = json.JSONDecoder(parse_int=_whole, parse_float=str, parse_constant=str)


def read(body: bytes, *, pause: Callable[[], None]) -> Mapping[str, object]:
    """What ``{"metadata": {"currency": "USD"}, "prices": {marketHashName: cents}}`` says of each item.

    The prices themselves are not judged. ``pause`` is called between the slices. Raises BadDocument, also
    for what is longer than any feed needs: no value may take the process for itself while it is read.
    """
    try:
        document = _Reader(body.decode(), pause).document()
    except (ValueError, RecursionError):
        raise BadDocument("the price feed is not a JSON object, or was cut off") from None
    metadata, prices = document.get(METADATA), document.get(PRICES)
    if not isinstance(metadata, dict) or not isinstance(prices, dict):
        raise BadDocument("the price feed lacks the objects metadata and prices")
    if metadata.get("currency") != CURRENCY:
        raise BadDocument(f"the currency of the price feed is not {CURRENCY}")
    return prices


class _Reader:
    """A JSON object, read key by key; the library reads the values, each from a piece of the text.

    Raises ValueError where it is none, BadDocument where something is too long.
    """

    def __init__(self, text: str, pause: Callable[[], None]) -> None:
        self._text = text
        self._at = 0
        self._pause = pause
        self._entries = 0
        self._paused_at = 0

    def document(self) -> dict[str, object]:
        """What stands under the keys that are of interest."""
        found: dict[str, object] = {}
        for number, key in enumerate(self._keys(), start=1):
            if number > MOST_KEYS:
                raise BadDocument(f"the price feed has more than {MOST_KEYS} keys beside the prices")
            is_prices = key == PRICES and self._text.startswith("{", self._at)
            value = self._prices() if is_prices else self._value(longest=LONGEST_VALUE)
            if key in (METADATA, PRICES):
                found[key] = value
            self._rest()
        self._skip_blanks()
        if self._at != len(self._text):
            raise ValueError("something follows the object")
        return found

    def _prices(self) -> dict[str, object]:
        prices: dict[str, object] = {}
        for number, name in enumerate(self._keys(), start=1):
            if number > MOST_PRICES:
                raise BadDocument(f"the price feed has more than {MOST_PRICES} prices")
            prices[name] = self._price()
            self._entries += 1
            self._rest()
        return prices

    def _keys(self) -> Iterator[str]:
        """The keys of the object that begins here. Whoever takes one reads its value before the next."""
        self._expect("{")
        if self._take("}"):
            return
        while True:
            self._expect('"')
            yield self._key()
            if self._take("}"):
                return
            self._expect(",")

    def _key(self) -> str:
        key: str
        key, length = scanstring(self._text[self._at : self._at + LONGEST_KEY], 0)
        self._at += length
        self._expect(":")
        self._skip_blanks()
        return key

    def _price(self) -> object:
        if usual := _USUAL_PRICE.match(self._text, self._at):
            self._at = usual.end()
            return int(usual[0])
        return self._value(longest=LONGEST_PRICE)

    def _value(self, *, longest: int) -> object:
        # One character more: a number that ends with the piece may go on after it.
        piece = self._text[self._at : self._at + longest + 1]
        try:
            value, length = _decoder.scan_once(piece, 0)
        except (StopIteration, ValueError):
            if len(piece) > longest:
                raise _too_long(longest) from None
            raise ValueError("a value is missing") from None
        if length > longest:
            raise _too_long(longest)
        self._at += length
        return value

    def _rest(self) -> None:
        """Let others run when a slice has been read, however it is made up."""
        if self._entries >= ENTRIES_A_SLICE or self._at - self._paused_at >= CHARS_A_SLICE:
            self._entries, self._paused_at = 0, self._at
            self._pause()

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


def _too_long(longest: int) -> BadDocument:
    return BadDocument(f"the price feed holds what is no JSON, or a value of more than {longest} characters")
