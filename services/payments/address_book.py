"""The addresses that a player can withdraw to: each waits for ADDRESS_HOURS after it was added."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from models.db.connection import reading, writing
from models.payments import WithdrawalAddress
from services.accounts import notifications, users
from services.audit_trail import recording as audit_trail
from services.audit_trail.events import AuditEventType
from services.payments.errors import (
    AddressKnown,
    AddressNotAdded,
    AddressNotFound,
    AddressTooNew,
    InvalidAddress,
    InvalidAddressName,
    TooManyAddresses,
)
from services.payments.registry import Providers
from services.shared.clock import Millis, iso_time
from services.shared.errors import AccountSuspended
from services.shared.text import can_be_shown, normalize_name
from settings import Settings

MAX_ADDRESS = 256
MAX_NAME = 32
MOST_ENTRIES = 20
"""Of one player."""

ADDED = "New address for withdrawals"


@dataclass(frozen=True)
class Entry:
    """An address of a player's book, and from when withdrawals can go to it."""

    id: str
    user_id: int
    method: str
    name: str
    address: str
    created_at_ms: Millis
    usable_from_ms: Millis


class AddressBook:
    """Adds and deletes entries, and checks the addresses of withdrawals."""

    def __init__(self, providers: Providers, settings: Settings) -> None:
        self._providers = providers
        self.delay_ms = settings.address_delay_ms
        """How long an entry waits. With 0 withdrawals go to any address."""

    @reading()
    def of_player(self, user_id: int) -> list[Entry]:
        """A player's entries, oldest first."""
        own = WithdrawalAddress.select().where(WithdrawalAddress.user == user_id)
        return self._entries(own.order_by(WithdrawalAddress.created_at_ms, WithdrawalAddress.id))

    @reading()
    def added_since(self, at: Millis, *, most: int) -> list[Entry]:
        """All players' entries that were added since then, oldest first."""
        added = WithdrawalAddress.select().where(WithdrawalAddress.created_at_ms >= at)
        order = (WithdrawalAddress.created_at_ms, WithdrawalAddress.id)
        return self._entries(added.order_by(*order).limit(most))

    def add(self, *, user_id: int, method: str, name: str, address: str, now: Millis) -> tuple[Entry, bool]:
        """Add an entry, and notify the player; returns it, and whether it is new.

        The same entry again makes nothing new. Raises UnknownMethod, InvalidAddressName, InvalidAddress,
        AccountSuspended, AddressKnown for one with another name, and TooManyAddresses.
        """
        self._providers.of_payout_method(method)
        name = normalize_name(name)
        if not 1 <= len(name) <= MAX_NAME or not can_be_shown(name):
            raise InvalidAddressName
        check_form(address)
        with writing():
            # No other entry of the player is made before the commit.
            if users.lock(user_id).suspended_at_ms is not None:
                raise AccountSuspended
            if known := _find(user_id, method, address):
                if known.name != name:
                    raise AddressKnown
                return self._entry(known), False
            if WithdrawalAddress.select().where(WithdrawalAddress.user == user_id).count() >= MOST_ENTRIES:
                raise TooManyAddresses
            row = WithdrawalAddress.create(
                id=secrets.token_hex(16),
                user=user_id,
                method=method,
                name=name,
                address=address,
                created_at_ms=now,
            )
            self._announce(row)
            return self._entry(row), True

    def delete(self, *, user_id: int, entry_id: str, now: Millis) -> None:
        """Delete an entry. The same address added again waits anew. Raises AddressNotFound."""
        with writing():
            # A withdrawal to it comes before this, or after.
            users.lock(user_id)
            own = (WithdrawalAddress.id == entry_id) & (WithdrawalAddress.user == user_id)
            row = WithdrawalAddress.get_or_none(own)
            if row is None:
                raise AddressNotFound
            WithdrawalAddress.delete().where(own).execute()
            _record(AuditEventType.ADDRESS_DELETED, row, now=now)

    def check_usable(self, *, user_id: int, method: str, address: str, now: Millis) -> None:
        """Raises AddressNotAdded or AddressTooNew if the player can't withdraw to this address.

        The player's row must be locked, so that the entry is not deleted meanwhile.
        """
        if not self.delay_ms:
            return
        row = _find(user_id, method, address)
        if row is None:
            raise AddressNotAdded
        usable_from = self._usable_from(row)
        if now < usable_from:
            raise AddressTooNew(usable_from=usable_from)

    def _announce(self, row: WithdrawalAddress) -> None:
        now = Millis(row.created_at_ms)
        _record(AuditEventType.ADDRESS_ADDED, row, now=now)
        since = f" from {iso_time(Millis(self._usable_from(row) + 999))}" if self.delay_ms else ""
        message = (
            f'The address "{row.name}" ({row.method}) was added to your account. Withdrawals can go to it'
            f"{since}. If that was not you, delete it and log out everywhere."
        )
        notifications.notify(user_id=row.user_id, title=ADDED, message=message, now=now)

    def _usable_from(self, row: WithdrawalAddress) -> Millis:
        return Millis(row.created_at_ms + self.delay_ms)

    def _entry(self, row: WithdrawalAddress) -> Entry:
        return Entry(
            id=row.id,
            user_id=row.user_id,
            method=row.method,
            name=row.name,
            address=row.address,
            created_at_ms=Millis(row.created_at_ms),
            usable_from_ms=self._usable_from(row),
        )

    def _entries(self, rows: Iterable[WithdrawalAddress]) -> list[Entry]:
        return [self._entry(row) for row in rows]


def check_form(address: str) -> None:
    """Raises InvalidAddress unless it is 1 to 256 printable characters without blanks around them."""
    if not 1 <= len(address) <= MAX_ADDRESS or not address.isprintable() or address != address.strip():
        raise InvalidAddress


def _find(user_id: int, method: str, address: str) -> WithdrawalAddress | None:
    found: WithdrawalAddress | None = WithdrawalAddress.get_or_none(
        WithdrawalAddress.user == user_id,
        WithdrawalAddress.method == method,
        WithdrawalAddress.address == address,
    )
    return found


def _record(event: AuditEventType, row: WithdrawalAddress, *, now: Millis) -> None:
    """Record an event without name and address, which are personal details."""
    after = {"withdrawalAddress": row.id, "method": row.method}
    audit_trail.record(event, now=now, user_id=row.user_id, after=after)
