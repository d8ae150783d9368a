"""What deposits and withdrawals have in common: their rows, idempotency keys, and times of polling."""

import re
from typing import Any, TypeVar

from models.db.connection import reading
from models.payments import Deposit, Withdrawal
from services.payments.errors import IdempotencyKeyReused, InvalidIdempotencyKey, PaymentNotFound
from services.shared.clock import Millis

KEY = re.compile(r"[ -~]{1,64}")

Row = TypeVar("Row", Deposit, Withdrawal)


@reading()
def get(table: type[Row], row_id: str, *, user_id: int | None = None) -> Row:
    """The deposit or withdrawal with this id. Raises PaymentNotFound, also if it is not this player's."""
    row: Row | None = table.get_or_none(table.id == row_id)
    if row is None or user_id not in (None, row.user_id):
        raise PaymentNotFound
    return row


@reading()
def find_repeated(
    table: type[Row], *, user_id: int, idempotency_key: str | None, columns: dict[str, Any]
) -> Row | None:
    """The row that the player's first request with this idempotency key has made, if there is one.

    ``columns`` must be the same. Raises InvalidIdempotencyKey unless the key is None or 1 to 64 printable
    ASCII characters, and IdempotencyKeyReused if the columns differ.
    """
    if idempotency_key is None:
        return None
    if not KEY.fullmatch(idempotency_key):
        raise InvalidIdempotencyKey
    row: Row | None = table.get_or_none(table.user == user_id, table.idempotency_key == idempotency_key)
    if row is not None and any(getattr(row, name) != value for name, value in columns.items()):
        raise IdempotencyKeyReused
    return row


def first_poll(now: Millis, first_wait: int) -> dict[str, Any]:
    """The columns of a row that has just changed: its provider is asked after the shortest pause."""
    return {"poll_at_ms": now + first_wait, "poll_wait_ms": first_wait}


def poll_now(now: Millis, first_wait: int) -> dict[str, Any]:
    """The columns of a row about which the provider has sent a message, or which is new to it."""
    return {"poll_at_ms": now, "poll_wait_ms": first_wait}


def next_poll(now: Millis, wait: int, longest_wait: int) -> dict[str, Any]:
    """The columns of a row that is being asked about: the pause after the next one is twice as long.

    ``Deposits.poll_due`` does the same for many rows in SQL.
    """
    return {"poll_at_ms": now + wait, "poll_wait_ms": min(wait * 2, longest_wait)}
