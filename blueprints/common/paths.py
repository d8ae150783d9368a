"""Parts of paths that may be any text."""

from werkzeug.routing import PathConverter


class AnyText(PathConverter):
    """The rest of a path, whatever characters it has: slashes too, also at its beginning and in a row."""

    regex = "(?s:.+?)"
    part_isolating = False
