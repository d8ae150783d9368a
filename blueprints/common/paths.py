"""Converters for the parts of paths."""

import re

from werkzeug.routing import BaseConverter, IntegerConverter

MOST_DIGITS = 4_000
"""Python refuses to read longer numbers."""


class AsciiInteger(IntegerConverter):
    """``<int:name>`` of ASCII digits only; the one it replaces takes the digits of every script."""

    regex = r"[0-9]+"

    def to_python(self, value: str) -> int:
        return int(value[:MOST_DIGITS])


class Anything(BaseConverter):
    """The rest of a path, whatever it is: slashes (``%2F`` and plain ones are the same here) and line ends.

    ``<anything(but="create"):name>`` leaves a fixed path to the route that it belongs to, so that another
    method there is 405 and not somebody's name.
    """

    part_isolating = False

    def __init__(self, url_map: object, but: str = "") -> None:
        super().__init__(url_map)  # type: ignore[arg-type]
        # In the pattern, not in to_python: what does not match is not named in Allow either.
        self.regex = rf"(?!{re.escape(but)}\Z)(?s:.+)" if but else "(?s:.+)"
