"""Parts of paths that may hold any character."""

from werkzeug.routing import BaseConverter, ValidationError


class Anything(BaseConverter):
    """The rest of a path, whatever it is: slashes (``%2F`` and plain ones are the same here) and line ends.

    ``<anything(but="create"):name>`` leaves a fixed path to the route that it belongs to, so that another
    method there is 405 and not somebody's name.
    """

    regex = "(?s:.+)"
    part_isolating = False

    def __init__(self, url_map: object, but: str = "") -> None:
        super().__init__(url_map)  # type: ignore[arg-type]
        self._but = but

    def to_python(self, value: str) -> str:
        if value == self._but:
            raise ValidationError
        return value
