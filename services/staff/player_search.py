"""Finding players by what staff know: a name, an id, an address, a transfer, a promo code.

Every lookup but that of a name uses an index. A name reads all of them, which takes up to a second with a
million players.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from typing import Any

from models.audit_trail import IS_LOGIN, AuditEvent
from models.db.connection import reading
from models.db.sql import begins_with, contains_text
from models.logins import PlayerLogin
from models.payments import HAS_ADDRESS, Deposit, PaymentRecord, Withdrawal
from models.users import PlayerTag, User
from services.payments.transfers import Transfer, key_of
from services.shared.clock import Millis
from services.shared.text import is_storable
from services.staff.personal_data import record_look

MOST_FOUND = 50
MAX_TEXT = 256


class FoundBy(StrEnum):
    """What of a player matches the text."""

    NAME = "name"
    PLATFORM_ID = "platform id"
    LOGIN_ADDRESS = "address of a login"
    PAYOUT_ADDRESS = "address of a payment"
    TXHASH = "txhash"
    PAYMENT_ID = "id of a payment"
    PROMO_CODE = "promo code"
    TAG = "tag"


PERSONAL = frozenset({FoundBy.LOGIN_ADDRESS, FoundBy.PAYOUT_ADDRESS})
"""These say whose an address is, which is masked elsewhere."""


@dataclass
class Found:
    """A player, and all that matches."""

    player: User
    by: list[FoundBy]


def find(text: str, *, with_addresses: bool, now: Millis) -> list[Found]:
    """The players who match the text: names that contain it, and other texts that equal it.

    At most MOST_FOUND by each of FoundBy; those whose name is the text come first. Addresses are searched
    ``with_addresses`` only. A search that finds a player by one, or is for an IP address, is recorded.
    """
    text = text.strip()
    if not text or len(text) > MAX_TEXT or not is_storable(text):
        return []
    found = _found(text, [by for by in QUERIES if with_addresses or by not in PERSONAL])
    by_address = [each for each in found if PERSONAL & set(each.by)]
    if with_addresses and (by_address or _as_ip_address(text)):
        one = by_address[0].player.id if len(by_address) == 1 else None
        record_look(user_id=one, what="search by an address", now=now)
    return found


@reading()
def _found(text: str, kinds: Collection[FoundBy]) -> list[Found]:
    found: dict[int, Found] = {}
    for by in kinds:
        for (user_id,) in QUERIES[by](text).limit(MOST_FOUND).tuples():
            found.setdefault(user_id, Found(User(), [])).by.append(by)
    query: Any = User.select().where(User.id.in_(list(found)))
    for player in query:
        found[player.id].player = player
    return sorted(found.values(), key=lambda each: _rank(each, text.lower()))


def _rank(found: Found, name: str) -> tuple[bool, bool, bool, str]:
    only_name = found.by == [FoundBy.NAME]
    folded = found.player.username_folded
    return folded != name, only_name, not folded.startswith(name), folded


def _by_name(text: str) -> Any:
    name, part = User.username_folded, text.lower()
    query = User.select(User.id).where(contains_text(name, part))
    return query.order_by(begins_with(name, part).desc(), name)


def _by_platform_id(text: str) -> Any:
    """Also by that of a linked login."""
    of_logins = PlayerLogin.select(PlayerLogin.user).where(PlayerLogin.id == text)
    return User.select(User.id).where(User.platform_id == text).union(of_logins)


def _by_login_address(text: str) -> Any:
    players = AuditEvent.select(AuditEvent.player).where(
        IS_LOGIN, AuditEvent.address == (_as_ip_address(text) or text)
    )
    some = players.distinct().limit(MOST_FOUND)
    return User.select(User.id).where(User.platform_id.in_(some))


def _as_ip_address(text: str) -> str | None:
    """An IP address in its usual form; None for another text."""
    try:
        return str(ip_address(text))
    except ValueError:
        return None


def _by_payout_address(text: str) -> Any:
    # The condition of the partial index, with a literal.
    of_payments = PaymentRecord.select(PaymentRecord.user).where(PaymentRecord.to == text, HAS_ADDRESS)
    return of_payments.union(Withdrawal.select(Withdrawal.user).where(Withdrawal.destination == text))


def _by_txhash(text: str) -> Any:
    of_payments = PaymentRecord.select(PaymentRecord.user).where(
        PaymentRecord.transfer_key == key_of(Transfer(txhash=text))
    )
    of_withdrawals = Withdrawal.select(Withdrawal.user).where(
        Withdrawal.txhash == text, Withdrawal.txhash.is_null(False)
    )
    return of_payments.union(of_withdrawals)


def _by_payment_id(text: str) -> Any:
    of_deposits = Deposit.select(Deposit.user).where(Deposit.id == text)
    return of_deposits.union(Withdrawal.select(Withdrawal.user).where(Withdrawal.id == text))


def _by_tag(text: str) -> Any:
    tagged = PlayerTag.select(PlayerTag.user).where(PlayerTag.tag == text.lower())
    return tagged.order_by(PlayerTag.user.desc())


QUERIES: dict[FoundBy, Callable[[str], Any]] = {
    FoundBy.PLATFORM_ID: _by_platform_id,
    FoundBy.NAME: _by_name,
    FoundBy.PROMO_CODE: lambda text: User.select(User.id).where(User.affiliate_code == text.upper()),
    FoundBy.TAG: _by_tag,
    FoundBy.PAYMENT_ID: _by_payment_id,
    FoundBy.TXHASH: _by_txhash,
    FoundBy.PAYOUT_ADDRESS: _by_payout_address,
    FoundBy.LOGIN_ADDRESS: _by_login_address,
}
