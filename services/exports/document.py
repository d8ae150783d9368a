"""The file of an export: one JSON object with a list for each part, as pieces of text."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import orjson

from models.users import User
from services.exports.parts import LEFT_OUT, PARTS, Part
from services.exports.rows import pages
from services.log.entries import Pseudonyms
from services.shared.clock import Millis
from services.shared.text import camel_case
from services.wallet.prizes import Shipping

ABOUT = (
    "Everything that this service knows of the player. Names that end in Ms are Unix times in milliseconds,"
    " those in Cents are amounts in hundredths of a coin or of a US dollar. It was read from startedAtMs to"
    " endedAtMs, so what has changed in between may be in one part and not in another."
)


class Documents:
    """Writes the files of players."""

    def __init__(self, *, shipping: Shipping, pseudonyms: Pseudonyms, clock: Callable[[], Millis]) -> None:
        self._shipping = shipping
        self._pseudonyms = pseudonyms
        self._clock = clock

    def pieces(self, player: User, *, notes: Sequence[Part] = ()) -> Iterator[bytes]:
        """Yield the file of a player in pieces of some hundred rows. ``notes`` are parts that are added.

        Must not be called within a transaction.
        """
        head = {
            "about": ABOUT,
            "startedAtMs": self._clock(),
            "player": {
                "platformid": player.platform_id,
                "pseudonym": self._pseudonyms.of_user(player.id),
            },
            "leftOut": left_out(),
        }
        # Without the brace that closes it.
        yield orjson.dumps(head)[:-1]
        for part in (*PARTS, *notes):
            yield f',"{part.name}":['.encode()
            yield from self._rows(part, player)
            yield b"]"
        yield f',"endedAtMs":{self._clock()}}}\n'.encode()

    def _rows(self, part: Part, player: User) -> Iterator[bytes]:
        separator = b""
        for page in pages(part, player, shipping=self._shipping):
            # An empty piece lets the reader do something else between two pages.
            yield separator + orjson.dumps(page)[1:-1] if page else b""
            separator = b"," if page else separator


def left_out() -> list[dict[str, Any]]:
    """What the file does not have: tables and columns, with the reasons."""
    tables = [{"what": camel_case(table), "why": why} for table, why in LEFT_OUT.items()]
    columns = [
        {"what": f"{part.name}.{camel_case(column)}", "why": why}
        for part in PARTS
        for column, why in part.without.items()
    ]
    return tables + columns
