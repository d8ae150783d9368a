"""Every column of encrypted values, for changing SECRET_KEY and for checking it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import peewee
from cryptography.fernet import InvalidToken

from models.announced_seeds import AnnouncedSeed
from models.bets import Bet, Prize
from models.log import current_epoch
from models.logins import RecoveryCode, TwoFactor
from models.staff import StaffAccount
from services.shared.encryption import Encrypter

SAMPLE = 100
"""A check tries this many values from the beginning of a column, and this many from the rest."""


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
            order=Bet.completed_at_ms,
        ),
        EncryptedColumn("two_factor_secrets", "2FA secrets", TwoFactor.encrypted_secret, two_factor),
        EncryptedColumn("recovery_codes", "recovery codes", RecoveryCode.encrypted_code, two_factor),
        EncryptedColumn("shipping_addresses", "shipping addresses", Prize.encrypted_address, shipping),
        EncryptedColumn(
            "staff_authenticators", "authenticators of staff", StaffAccount.encrypted_secret, staff
        ),
    ]
