"""What a price source can do wrong. Prices stay as they are, and the next turn tries again."""

from services.errors import OperatorError


class SourceFailed(OperatorError):
    """A source gave nothing that can be used; ``str()`` is one line without its address."""


class BadDocument(SourceFailed):
    """What came is no price document: too large, cut off, of another shape or currency."""


class SourceUnavailable(SourceFailed):
    """Nothing came. ``quick`` says that it was found out at once, so that it may be tried again."""

    def __init__(self, what: str, *, quick: bool = False) -> None:
        super().__init__(what)
        self.quick = quick


class SourceRefuses(SourceFailed):
    """It was asked too often."""


class Stopped(Exception):
    """The process ends; what was under way is left to the next one."""
