"""Players who share something with a player: an address of a withdrawal, a browser, an address of a login."""

from enum import StrEnum
from typing import Any, NamedTuple

from models.audit_trail import IS_LOGIN, AuditEvent
from models.db.connection import reading
from models.logins import LoginDevice
from models.payments import HAS_ADDRESS, PaymentRecord, PaymentType, Withdrawal
from models.users import User
from services.shared.clock import Millis
from services.staff.personal_data import record_look

NEWEST = 500
"""Logins and withdrawals of the player that are looked at."""
MOST_SHARED = 50
"""Of each kind."""
MOST_PLAYERS = 50
"""With one address. An address of a school or a phone company may have thousands."""
SHOWN_OF_DEVICE = 12
"""The first characters of its hash tell a device from others."""


class Shared(StrEnum):
    """What players share."""

    WITHDRAWAL = "address of a withdrawal"
    DEVICE = "browser of a login"
    LOGIN = "address of a login"


class Link(NamedTuple):
    """What is shared, and the other players who have used it."""

    shared: Shared
    text: str
    players: list[User]
    has_more: bool


def links(*, player: User, now: Millis) -> list[Link]:
    """What others share with the player, what says most first. Records the look."""
    record_look(user_id=player.id, what="linked accounts", now=now)
    with reading():
        of_withdrawals = [
            _link(Shared.WITHDRAWAL, to, player, _paid_to(to)) for to in _payout_addresses(player)
        ]
        of_devices = [
            _link(Shared.DEVICE, key[:SHOWN_OF_DEVICE], player, _logged_in_with(key))
            for key in _devices(player)
        ]
        of_logins = [_link(Shared.LOGIN, at, player, _logged_in_from(at)) for at in _login_addresses(player)]
    return [link for link in of_withdrawals + of_devices + of_logins if link.players]


def _link(shared: Shared, text: str, player: User, who: Any) -> Link:
    others: Any = User.select().where(who, User.id != player.id).order_by(User.id.desc())
    found = list(others.limit(MOST_PLAYERS + 1))
    return Link(shared, text, found[:MOST_PLAYERS], len(found) > MOST_PLAYERS)


def _login_addresses(player: User) -> list[str]:
    """The addresses of the newest logins, the newest first."""
    logins: Any = AuditEvent.select(AuditEvent.address).where(
        AuditEvent.player == player.platform_id, IS_LOGIN
    )
    newest = logins.order_by(AuditEvent.at_ms.desc(), AuditEvent.id.desc()).limit(NEWEST)
    return list(dict.fromkeys(filter(None, newest.tuples().scalars())))[:MOST_SHARED]


def _devices(player: User) -> list[str]:
    """The hashes of the player's devices, those of the newest logins first."""
    of_player: Any = LoginDevice.select(LoginDevice.key).where(LoginDevice.user == player.id)
    return list(of_player.order_by(LoginDevice.seen_at_ms.desc()).limit(MOST_SHARED).tuples().scalars())


def _logged_in_with(key: str) -> Any:
    players: Any = LoginDevice.select(LoginDevice.user).where(LoginDevice.key == key)
    return User.id.in_(players.limit(MOST_PLAYERS + 2))


def _payout_addresses(player: User) -> list[str]:
    asked: Any = Withdrawal.select(Withdrawal.destination).where(Withdrawal.user == player.id)
    paid: Any = PaymentRecord.select(PaymentRecord.to).where(
        PaymentRecord.user == player.id, _is_withdrawal(), HAS_ADDRESS
    )
    newest = (
        *asked.order_by(Withdrawal.created_at_ms.desc()).limit(NEWEST).tuples().scalars(),
        *paid.order_by(PaymentRecord.created_at_ms.desc()).limit(NEWEST).tuples().scalars(),
    )
    return list(dict.fromkeys(filter(None, newest)))[:MOST_SHARED]


def _logged_in_from(address: str) -> Any:
    """Whether a player has. Some of them, by the index of logins."""
    players: Any = AuditEvent.select(AuditEvent.player).where(IS_LOGIN, AuditEvent.address == address)
    return User.platform_id.in_(players.distinct().limit(MOST_PLAYERS + 2))


def _paid_to(address: str) -> Any:
    asked: Any = Withdrawal.select(Withdrawal.user).where(Withdrawal.destination == address)
    paid: Any = PaymentRecord.select(PaymentRecord.user).where(
        PaymentRecord.to == address, HAS_ADDRESS, _is_withdrawal()
    )
    some = MOST_PLAYERS + 2
    return User.id.in_(asked.distinct().limit(some)) | User.id.in_(paid.distinct().limit(some))


def _is_withdrawal() -> Any:
    """A deposit has the address of a wallet of the platform."""
    return PaymentRecord.type == PaymentType.WITHDRAWAL
