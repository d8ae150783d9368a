"""Idempotency keys: the same request of a player again gets the first one's row."""

import re
from typing import Any, TypeVar

from models.db.connection import reading
from models.payments import Deposit, Withdrawal
from services.payments.errors import IdempotencyKeyReused, InvalidIdempotencyKey

KEY = re.compile(r"[ -~]{1,64}")

Row = TypeVar("Row", Deposit, Withdrawal)


def check_key(key: str | None) -> None:
    """Raises InvalidIdempotencyKey unless it is None, or 1 to 64 printable ASCII characters."""
    if key is not None and not KEY.fullmatch(key):
        raise InvalidIdempotencyKey


@reading()
def first_row(table: type[Row], *, user_id: int, key: str | None, body: dict[str, Any]) -> Row | None:
    """The row that the player's first request with this key has made, if there is one.

    ``body`` has the columns that must be the same. Raises IdempotencyKeyReused if they differ.
    """
    if key is None:
        return None
    row: Row | None = table.get_or_none(table.user == user_id, table.idempotency_key == key)
    if row is not None and any(getattr(row, name) != value for name, value in body.items()):
        raise IdempotencyKeyReused
    return row
