"""Parts of paths that may hold any character."""

import re

from werkzeug.routing import BaseConverter


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
