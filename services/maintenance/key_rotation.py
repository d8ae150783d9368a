"""Re-encrypts the secrets in the database after SECRET_KEY has changed."""

from collections.abc import Sequence
from typing import Any

import peewee
from cryptography.fernet import InvalidToken

from models.db.connection import reading, writing
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.maintenance.encrypted_columns import EncryptedColumn
from services.shared.clock import Millis

BATCH = 200


def rotate(columns: Sequence[EncryptedColumn], *, now: Millis) -> tuple[dict[str, int], list[str]]:
    """Re-encrypt with the current key what was encrypted with a previous one, batch by batch.

    Returns how many values of each column were re-encrypted, and a line for each that no key decrypts (ids,
    never contents). Players may play meanwhile if the running servers have the current key: a row that a
    server changes after it was read here has that key already, and the guarded update leaves it alone.
    """
    unreadable: list[str] = []
    counts = {column.name: _rotate_column(column, unreadable) for column in columns}
    with writing():
        record(AuditEventType.SECRETS_ROTATED, now=now, user_id=None, after={"unreadable": len(unreadable)})
    return counts, unreadable


def _rotate_column(encrypted: EncryptedColumn, unreadable: list[str]) -> int:
    """Re-encrypt the values of one column; returns how many changed."""
    key, column, table = encrypted.key, encrypted.column, encrypted.column.model
    query = encrypted.rows(key, column).order_by(key).limit(BATCH)
    count, last = 0, 0
    while batch := _batch(query.where(key > last)):
        # Outside the transaction, which should be short.
        changes = []
        for last, old in batch:
            try:
                changes.append((last, old, encrypted.encrypter.renew(old)))
            except InvalidToken:
                unreadable.append(f"{table._meta.table_name} {last}: no key opens it")  # noqa: SLF001  # peewee's documented place of a table's name
        with writing():
            for number, old, new in changes:
                if new != old:
                    update = table.update({column: new}).where(key == number, column == old)
                    count += update.execute()
    return count


@reading()
def _batch(query: peewee.Select) -> list[Any]:
    return list(query)
