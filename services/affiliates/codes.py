"""Promo codes: each player can set one code, once, and use another player's code, once."""

import re

import peewee

from models.affiliates import Affiliate
from models.db.connection import reading, writing
from models.users import User
from services.accounts import users
from services.accounts.balances import Balances, balances_of
from services.affiliates import errors, referrals
from services.audit_trail.events import What
from services.audit_trail.recording import CHANGED, record
from services.ledger import posting
from services.ledger.posting import Account, Entry, Kind, TransactionId
from services.shared.clock import Millis
from services.shared.errors import PlatformError
from services.shared.money import Cents

USE_BONUS = Cents(20)
"""The bonus for using a code, in cents."""

MIN_LENGTH, MAX_LENGTH = 4, 24
ALPHANUMERIC = re.compile(r"[A-Za-z0-9]+", re.ASCII)


class PromoCodes:
    """Sets and uses codes, which are stored and compared in uppercase.

    ``special`` is an uppercase code that gives the bonus without having an owner, or None.
    """

    def __init__(self, *, special: str | None) -> None:
        self._special = special

    def set_own(self, *, user_id: int, code: object, now: Millis) -> str:
        """Give the player a code, which can't be changed later; return it as it is stored.

        Raises CodeRequired, CodeNotAlphanumeric, CodeLength, CodeUnchanged, CodeAlreadySet, CodeClaimed, in
        this order. When several players want one code, or one player sets several, at the same time, the
        database accepts one. The others get the error that they would get a moment later.
        """
        text = _required(code)
        if not ALPHANUMERIC.fullmatch(text):
            raise errors.CodeNotAlphanumeric
        if not MIN_LENGTH <= len(text) <= MAX_LENGTH:
            raise errors.CodeLength
        wanted = text.upper()
        try:
            with writing():
                if wanted == self._special or not _claim(user_id, wanted):
                    raise _why_not(user_id, wanted)
                Affiliate.insert(user=user_id).execute()
                record(What.PROMO_CODE_SET, now=now, user_id=user_id, after={"code": wanted})
        except peewee.IntegrityError:
            raise errors.CodeClaimed from None
        return wanted

    def use(self, *, user_id: int, code: object, now: Millis) -> Balances:
        """Use a code: the player gets a bonus, and becomes a referral of the code's owner.

        Returns the balances after that. Raises CodeRequired, CodeInvalid, OwnCode, CodeAlreadyUsed, in this
        order. Of concurrent uses by one player one succeeds. The special code has no owner, even if a
        player set it before it became the special one.
        """
        text = _required(code)
        # Checked before uppercase, which turns some other letters, such as the long s, into ASCII.
        if not ALPHANUMERIC.fullmatch(text):
            raise errors.CodeInvalid
        used = text.upper()
        owner_id = None if used == self._special else _owner_of(used)
        if owner_id == user_id:
            raise errors.OwnCode
        with writing():
            if not _mark_used(user_id, used):
                raise errors.CodeAlreadyUsed
            bonus = _post_bonus(user_id, now)
            if owner_id is not None:
                referrals.begin(
                    user_id=user_id, owner_id=owner_id, bonus=USE_BONUS, transaction_id=bonus, now=now
                )
            # The special code is a secret setting.
            shown = {"code": CHANGED if owner_id is None else used}
            record(What.PROMO_CODE_USED, now=now, user_id=user_id, after=shown)
            return balances_of(user_id)


def _required(code: object) -> str:
    if not isinstance(code, str) or not code.strip():
        raise errors.CodeRequired
    return code


@reading()
def _owner_of(code: str) -> int:
    owner = User.select(User.id).where(User.affiliate_code == code).scalar()
    if owner is None:
        raise errors.CodeInvalid
    return int(owner)


def _claim(user_id: int, code: str) -> bool:
    """Set the player's code if there is none. Raises IntegrityError when another player has this code."""
    query = User.update(affiliate_code=code).where(User.id == user_id, User.affiliate_code.is_null())
    return bool(query.execute())


def _why_not(user_id: int, wanted: str) -> PlatformError:
    own = users.get_by_id(user_id).affiliate_code
    if own == wanted:
        return errors.CodeUnchanged()
    return errors.CodeAlreadySet() if own else errors.CodeClaimed()


def _mark_used(user_id: int, code: str) -> bool:
    """Store the code as used if none was used. Of two concurrent uses the second changes nothing."""
    query = User.update(used_affiliate_code=code, deposit_bonus=True, free_cases=0).where(
        User.id == user_id, User.used_affiliate_code.is_null()
    )
    return bool(query.execute())


def _post_bonus(user_id: int, now: Millis) -> TransactionId:
    return posting.post(
        kind=Kind.CODE_BONUS,
        entries=[
            Entry(Account.HOUSE_BONUSES, Cents(-USE_BONUS)),
            Entry(Account.BALANCE, USE_BONUS, user_id),
        ],
        now=now,
    )
