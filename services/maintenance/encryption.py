"""Every column of encrypted values: checking SECRET_KEY, and re-encrypting after it has changed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import peewee
from cryptography.fernet import InvalidToken

from models.announced_seeds import AnnouncedSeed
from models.battles import Battle, State
from models.bets import Bet, Prize
from models.db.connection import reading, writing
from models.log import current_epoch
from models.logins import RecoveryCode, TwoFactor
from models.staff import StaffAccount
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.shared.clock import Millis
from services.shared.encryption import Encrypter

SAMPLE = 100
"""A check tries this many values from the beginning of a column, and this many from the rest."""

BATCH = 200


@dataclass(frozen=True)
class EncryptedColumn:
    """A column of encrypted values, and the encrypter that decrypts them."""

    name: str
    """Its name in the output of ``flask secrets rotate``, in snake case."""
    label: str
    """The name of its values in messages."""
    column: peewee.Field
    encrypter: Encrypter
    is_used: Any = True
    """The condition for the rows whose values may be decrypted."""
    order: peewee.Field | None = None
    """The order of a sample, if there is an index of the used rows that is not the primary key."""

    @property
    def key(self) -> Any:
        """The primary key of the table."""
        return self.column.model._meta.primary_key  # noqa: SLF001  # peewee's documented place of it

    def rows(self, *columns: peewee.Field) -> Any:
        """A query for these columns of all used rows, as tuples."""
        return self.column.model.select(*columns).where(self.column.is_null(False), self.is_used).tuples()

    def count_unreadable(self) -> tuple[int, int]:
        """How many values of a sample no key decrypts, and how many values it has."""
        sample = list(self._sample())
        return sum(not self._is_readable(value) for value in sample), len(sample)

    def _is_readable(self, value: str) -> bool:
        try:
            self.encrypter.decrypt(value)
        except InvalidToken:
            return False
        return True

    def _sample(self) -> Iterator[str]:
        """The first values, and others at equal distances up to the last, so that a part is found too.

        To be used within ``repeatable_read()``.
        """
        order = self.key if self.order is None else self.order
        query = self.rows(order, self.column).order_by(order)
        place = None
        for place, value in query.limit(SAMPLE):  # noqa: B007  # used after the loop
            yield value
        if place is None:
            return
        last, _ = query.order_by(order.desc()).first()
        distance = -(-(last - place) // SAMPLE)
        while place < last:
            place, value = query.where(order >= min(place + distance, last)).first()
            yield value


def encrypted_columns(
    *, seeds: Encrypter, two_factor: Encrypter, shipping: Encrypter, staff: Encrypter
) -> list[EncryptedColumn]:
    """Every column of encrypted values."""
    # The seeds of earlier epochs are redrawn before they are used.
    is_current = AnnouncedSeed.epoch == current_epoch()
    return [
        EncryptedColumn(
            "announced_seeds",
            "announced server seeds",
            AnnouncedSeed.encrypted_server_seed,
            seeds,
            is_used=is_current,
        ),
        EncryptedColumn(
            "bets",
            "server seeds of bets without a proof",
            Bet.encrypted_server_seed,
            seeds,
            is_used=Bet.server_seed.is_null(),
            order=Bet.proof_due_at_ms,
        ),
        EncryptedColumn(
            "battles",
            "server seeds of battles that have not ended",
            Battle.encrypted_server_seed,
            seeds,
            is_used=Battle.state.in_([State.OPEN, State.LOCKED]),
        ),
        EncryptedColumn("two_factor_secrets", "2FA secrets", TwoFactor.encrypted_secret, two_factor),
        EncryptedColumn("recovery_codes", "recovery codes", RecoveryCode.encrypted_code, two_factor),
        EncryptedColumn("shipping_addresses", "shipping addresses", Prize.encrypted_address, shipping),
        EncryptedColumn(
            "staff_authenticators", "authenticators of staff", StaffAccount.encrypted_secret, staff
        ),
    ]


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
