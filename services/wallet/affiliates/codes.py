"""Promo codes: each player can set one code, once, and use another player's code, once.

Codes are stored and compared in uppercase. ``special`` is a code, in uppercase, that gives the bonus without
having an owner.
"""

import re

import peewee

from models.db.connection import reading, writing
from models.ledger import Affiliate, Referral
from models.users import User
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import CHANGED, record
from services.ledger import posting
from services.ledger.posting import Account, LedgerKind, Move
from services.limits import exclusions
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents

USE_BONUS = Cents(20)
"""The bonus for using a code, in cents."""

MIN_LENGTH, MAX_LENGTH = 4, 24
ALPHANUMERIC = re.compile(r"[A-Za-z0-9]+", re.ASCII)


# The texts of the errors of this module are part of the contract, mistakes included.


class CodeClaimed(Refusal):
    """The code belongs to another player, or is the special code."""

    text = "This promo code already has been claimed by someone else."


def set_own(*, user_id: int, code: object, special: str | None, now: Millis) -> None:
    """Give the player a code, which can't be changed later.

    Raises Refusal for a code that is missing, has other characters, a wrong length, is the player's own, if
    another one is set, and CodeClaimed, in this order. When several players want one code, or one player sets
    several, at the same time, the database accepts one. The others get the error that they would get a moment
    later.
    """
    text = _required(code)
    if not ALPHANUMERIC.fullmatch(text):
        raise Refusal("Promo code must only include letters and numbers.")
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH:
        raise Refusal("Code length must be between 3 and 24 letters.")
    wanted = text.upper()
    try:
        with writing():
            own = users.lock(user_id).affiliate_code
            if own == wanted:
                raise Refusal("Your haven't done any changes in your promo code.")
            if own:
                raise Refusal("You already have a promo code set.")
            if wanted == special:
                raise CodeClaimed
            User.update(affiliate_code=wanted).where(User.id == user_id).execute()
            Affiliate.insert(user=user_id).execute()
            record(AuditEventType.PROMO_CODE_SET, now=now, user_id=user_id, after={"code": wanted})
    except peewee.IntegrityError:
        raise CodeClaimed from None


def use(*, user_id: int, code: object, special: str | None, now: Millis) -> User:
    """Use a code: the player gets a bonus, and becomes a referral of the code's owner.

    Returns the player after that. Raises Refusal for a code that is missing, invalid or the player's
    own, if one was used before, and on a break, in this order. When one player uses codes concurrently, one
    use succeeds. The special code has no owner, even if a player set it before it became the special one.
    """
    text = _required(code)
    used = text.upper()
    is_special = used == special
    owner_id = None if is_special else _owner_of(used)
    # Uppercase turns some other letters, such as the long s, into ASCII.
    if not text.isascii() or (owner_id is None and not is_special):
        raise Refusal("Promo code is invalid")
    if owner_id == user_id:
        raise Refusal("You cannot use your own promo code")
    with writing():
        mark = User.update(used_affiliate_code=used, deposit_bonus=True, free_cases=0).where(
            User.id == user_id, User.used_affiliate_code.is_null()
        )
        if not mark.execute():
            raise Refusal("You've already used a promo code.")
        player = users.get_by_id(user_id)
        try:
            exclusions.check_none(player, now=now)
        except Refusal as refusal:
            # The contract has only 400 here.
            raise Refusal(refusal.text) from None
        move = Move(USE_BONUS, Account.HOUSE_BONUSES, Account.BALANCE)
        bonus = posting.post(kind=LedgerKind.CODE_BONUS, user_id=user_id, moves=[move], now=now)
        if owner_id is not None:
            # Payments and bets after the bonus's ledger transaction count.
            Referral.insert(
                user=user_id,
                owner=owner_id,
                ledger_transaction=bonus,
                used_at_ms=now,
                bonus_cents=USE_BONUS,
                theoretical_loss_before_ucents=player.theoretical_loss_ucents,
            ).execute()
        # The special code is a secret setting.
        shown = {"code": CHANGED if owner_id is None else used}
        record(AuditEventType.PROMO_CODE_USED, now=now, user_id=user_id, after=shown)
        return users.get_by_id(user_id)


def _required(code: object) -> str:
    if not isinstance(code, str) or not code.strip():
        raise Refusal("Code is required")
    return code.strip()


@reading()
def _owner_of(code: str) -> int | None:
    owner_id: int | None = User.select(User.id).where(User.affiliate_code == code).scalar()
    return owner_id
