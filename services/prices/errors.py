"""How a price source can fail. The stored prices stay as they are."""

from services.shared.errors import OperatorError


class SourceFailed(OperatorError):
    """The source is unreachable, slow or answers with an error. ``str()`` is one line without its URL."""


class BadDocument(SourceFailed):
    """The response is too large, cut off, or has another shape or currency."""


class Stopped(Exception):
    """The process is shutting down."""
