"""The forms of BTCPay's errors."""

from typing import Any


class Problem(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body


def refused(code: str, message: str = "", *, status: int = 400) -> Problem:
    return Problem(status, {"code": code, "message": message or code})


def not_found(what: str) -> Problem:
    return refused(f"{what}-not-found", f"The {what} was not found", status=404)


def invalid(*errors: tuple[str, str]) -> Problem:
    """The request has invalid values. ``errors`` are pairs of a path and a message."""
    return Problem(422, [{"path": path, "message": message} for path, message in errors])
