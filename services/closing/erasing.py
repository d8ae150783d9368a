"""Erasing what is personal in a closed account, when its retention is over.

The row of the player stays, under a neutral id and the name ``deleted``, and with it the ledger, bets,
payments and the public log. ``tests/blueprints/operator/test_erase.py`` has every text column of the
database, and whether it is erased or why it stays.
"""

import secrets
from collections.abc import Sequence
from typing import Any

import peewee

from models.battles import BattleSeat
from models.bets import Bet, Prize
from models.db.connection import reading, writing
from models.db.sql import contains_text
from models.limits import LimitRequest
from models.logins import (
    ConfirmedToken,
    LoginChallenge,
    LoginDevice,
    PlayerLogin,
    RecoveryCode,
    TwoFactor,
    WrongCode,
)
from models.payments import (
    Deposit,
    Discrepancy,
    PaymentRecord,
    WebhookDelivery,
    Withdrawal,
    WithdrawalAddress,
)
from models.rewards import Reward
from models.staff import Proposal
from models.users import Notification, PersonalDetails, PlayerNote, PlayerTag, User
from services.accounts import users
from services.accounts.avatars import Avatars
from services.audit_trail import erasure
from services.closing import obstacles
from services.closing.obstacles import UnderWay
from services.exports import requests as exports
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions
from services.log.entries import Pseudonyms
from services.shared import decimal_json
from services.shared.clock import DAY_MS, Millis
from services.shared.errors import Refusal
from services.shared.money import Cents
from services.shared.signals import Tag, invalidate_after_commit
from services.shared.text import checked_reason
from services.wallet.prizes import ADDRESS, Shipping, Status

DELETED = "deleted"
"""The name of a player whose account was erased."""
ERASED = "erased"
"""In the place of a text that may not be empty."""

DELETED_ROWS: Sequence[Any] = (
    *(PersonalDetails, Notification, PlayerNote, PlayerTag, LimitRequest, WithdrawalAddress),
    *(LoginDevice, TwoFactor, RecoveryCode, WrongCode, LoginChallenge, ConfirmedToken),
)
CHANGED_ROWS: Sequence[tuple[Any, dict[str, object]]] = (
    (Proposal, {"arguments": "{}", "description": ERASED, "reason": ERASED, "decision_reason": ""}),
    (Reward, {"reason": None}),
    (Deposit, {"checkout_url": None, "idempotency_key": None, "reason": ""}),
    (
        Withdrawal,
        {"destination": "", "idempotency_key": None, "check_reason": "", "reason": "", "review_reason": None},
    ),
    (PaymentRecord, {"to": ""}),
    (Prize, {"tracking": None}),
    (BattleSeat, {"request_id": None, "request_digest": None}),
)

BETS_AT_ONCE = 5_000


class Erasing:
    """Finds the closed accounts whose retention is over, and erases them."""

    def __init__(self, *, shipping: Shipping, avatars: Avatars, erase_after_days: int) -> None:
        self._shipping = shipping
        self._avatars = avatars
        self._retention_ms = erase_after_days * DAY_MS

    def due_at(self, user: User) -> Millis:
        """When the retention of a closed account ends."""
        return Millis((user.closed_at_ms or 0) + self._retention_ms)

    @reading()
    def due(self, *, now: Millis) -> list[User]:
        """The closed accounts whose retention is over, which was first first."""
        is_due = User.closed_at_ms.is_null(False) & (User.closed_at_ms <= now - self._retention_ms)
        return list(User.select().where(is_due, User.erased_at_ms.is_null()).order_by(User.closed_at_ms))

    def erase(self, *, user_id: int, reason: str | None, now: Millis) -> User:
        """Erase a closed account; returns the player after that.

        Without a ``reason`` only when its retention is over. Files, the export and the ids of requests go
        first, then all the rest in one transaction, so an interrupted erasure can be repeated. Raises
        UserNotFound, and Refusal if it is not closed, not due, erased already, or something is left to be
        decided.
        """
        stored_reason = "the retention is over" if reason is None else checked_reason(reason)
        user = users.get_by_id(user_id)
        self._check(user, is_early=reason is not None, now=now)
        self._avatars.remove(user.avatar)
        exports.delete_of(user_id)
        _forget_requests(user_id)
        with writing():
            user = users.lock(user_id)
            self._check(user, is_early=reason is not None, now=now)
            _sell_prizes(user_id, now=now)
            neutral_id = _neutralise(user, now=now)
            _erase_logins(user, now=now)
            _forget_digests(now=now)
            _erase_messages(user, neutral_id)
            for table in DELETED_ROWS:
                table.delete().where(table.user == user_id).execute()
            for table, changes in CHANGED_ROWS:
                table.update(changes).where(table.user == user_id).execute()
            self._empty_addresses(user_id)
            erasure.erase(
                user_id=user_id,
                platform_id=user.platform_id,
                neutral_id=neutral_id,
                code=user.affiliate_code,
                reason=stored_reason,
                now=now,
            )
            invalidate_after_commit(Tag.PLAYERS)
            return users.get_by_id(user_id)

    def _check(self, user: User, *, is_early: bool, now: Millis) -> None:
        if user.erased_at_ms is not None:
            raise Refusal("the account was erased already")
        if user.closed_at_ms is None:
            raise Refusal("only a closed account can be erased")
        if not is_early and now < self.due_at(user):
            raise Refusal("the retention of the account is not over; to erase it, give --now and --reason")
        found = obstacles.of_player(user.id)
        if found.paid_deposits or found.open_deposits or found.shipping_prizes:
            raise UnderWay("first decide about the deposits and prizes of the player")
        with reading():
            is_open = Proposal.select().where(Proposal.user == user, Proposal.status == "open").exists()
        if is_open:
            raise UnderWay("first decide about the open proposals that concern the player")

    def _empty_addresses(self, user_id: int) -> None:
        """A shipped prize must have an encrypted address, so it gets one without content."""
        nowhere = self._shipping.encrypter.encrypt(decimal_json.dumps(dict.fromkeys(ADDRESS, "")))
        has_address = (Prize.user == user_id) & Prize.encrypted_address.is_null(False)
        Prize.update(encrypted_address=nowhere).where(has_address).execute()


def _forget_requests(user_id: int) -> None:
    """Forget the ids of the requests for bets, which programs choose. A player may have a million bets."""
    has_id = (Bet.user == user_id) & Bet.request_id.is_null(False)
    some: Any = Bet.select(Bet.id).where(has_id).limit(BETS_AT_ONCE)
    changed = 1
    while changed:
        with writing():
            forget = Bet.update(request_id=None, request_digest=None)
            changed = forget.where(Bet.id.in_(list(some.scalars()))).execute()


def _sell_prizes(user_id: int, *, now: Millis) -> None:
    """Give prizes up that came back after the closing."""
    is_kept = (Prize.user == user_id) & (Prize.status == Status.KEPT)
    for prize in Prize.select().where(is_kept):
        Prize.update(status=Status.SOLD).where(Prize.id == prize.id).execute()
        if prize.value_cents:
            move = Move(Cents(prize.value_cents), Account.HOUSE_PRIZES, Account.HOUSE_FORFEITED)
            posting.post(kind=LedgerKind.ACCOUNT_CLOSED, user_id=user_id, moves=[move], now=now)


def _neutralise(user: User, *, now: Millis) -> str:
    """Take the person out of the player's row; returns the id that it has now."""
    neutral_id = f"{DELETED}-{secrets.token_hex(8)}"
    derived = Pseudonyms().of(user.platform_id)
    # Neither is a valid name or code, so nobody can have it already.
    folded, code = f"{DELETED} {user.id}", user.affiliate_code and f"{DELETED}-{user.id}"
    User.update(
        platform_id=neutral_id,
        username=DELETED,
        username_folded=folded,
        avatar="",
        is_anonymous=False,
        client_seed=users.draw_client_seed(),
        trade_url="",
        two_factor_enabled=False,
        affiliate_code=code,
        pseudonym=user.pseudonym or derived,
        login_digest=derived if exclusions.current(user, now=now) else None,
        erased_at_ms=now,
    ).where(User.id == user.id).execute()
    if code:
        has_used = User.used_affiliate_code == user.affiliate_code
        User.update(used_affiliate_code=code).where(has_used).execute()
    return neutral_id


def _erase_logins(user: User, *, now: Millis) -> None:
    """Delete the logins; of an excluded player keep their digests, so that nobody comes back with them."""
    own = PlayerLogin.user == user.id
    if exclusions.current(user, now=now) is None:
        PlayerLogin.delete().where(own).execute()
        return
    for login in list(PlayerLogin.select().where(own)):
        PlayerLogin.update(id=Pseudonyms().of(login.id)).where(PlayerLogin.id == login.id).execute()


def _forget_digests(*, now: Millis) -> None:
    """Forget the digests of erased players whose exclusions are over."""
    is_over = User.erased_at_ms.is_null(False) & (User.excluded_until_ms <= now)
    PlayerLogin.delete().where(PlayerLogin.user.in_(User.select(User.id).where(is_over))).execute()
    User.update(login_digest=None).where(is_over, User.login_digest.is_null(False)).execute()


def _erase_messages(user: User, neutral_id: str) -> None:
    """Empty the messages of payment services about the player, and what they differ in."""
    texts = [user.platform_id]
    for table, columns in ((Deposit, ("id", "invoice_id")), (Withdrawal, ("id", "payout_id"))):
        rows: Any = table.select(*(getattr(table, name) for name in columns)).where(table.user == user.id)
        texts += [text for row in rows.tuples() for text in row if text]
    body: Any = WebhookDelivery.body
    for text in texts:
        WebhookDelivery.update(body="{}").where(contains_text(body, text)).execute()
    of_player = Discrepancy.platform_id == user.platform_id
    Discrepancy.update(platform_id=neutral_id, address=None).where(of_player).execute()
    named = peewee.fn.REPLACE
    for column in (WebhookDelivery.error, Discrepancy.ours, Discrepancy.theirs):
        changed = {column: named(column, user.platform_id, neutral_id)}
        column.model.update(changed).where(contains_text(column, user.platform_id)).execute()
