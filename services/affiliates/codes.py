"""Promo codes: each player sets one, once, and uses one of somebody else's, once."""

import re
from typing import NewType

import peewee

from models.affiliates import Affiliate
from models.database import reading, writing
from models.users import User
from services import ledger, users
from services.affiliates import referrals
from services.affiliates.errors import (
    CodeAlreadySet,
    CodeAlreadyUsed,
    CodeClaimed,
    CodeInvalid,
    CodeLength,
    CodeNotAlphanumeric,
    CodeRequired,
    CodeUnchanged,
    OwnCode,
)
from services.balances import Balances, balances_of
from services.clock import Millis
from services.ledger import Account, Entry, Kind, TransactionId
from services.money import Cents

USE_BONUS = Cents(20)
"""What using a code gives, in cents. Source: SPEC 8."""

MIN_LENGTH, MAX_LENGTH = 4, 24
ALPHANUMERIC = re.compile(r"[A-Za-z0-9]+", re.ASCII)

Code = NewType("Code", str)
"""A code in the form in which codes are kept and compared: uppercase ASCII letters and digits."""


class PromoCodes:
    """Sets and uses codes. ``special``, uppercase, gives its bonus for nobody; None when there is none."""

    def __init__(self, *, special: str | None) -> None:
        self._special = special

    def set_own(self, *, user_id: int, code: object) -> Code:
        """Make a code the player's own, for ever.

        Raises CodeRequired, CodeNotAlphanumeric, CodeLength, CodeUnchanged, CodeAlreadySet, CodeClaimed, in
        this order. Of many who want one code, or of many codes of one player at once, the database lets one
        through; the others get the refusal that they would have got a moment later.
        """
        wanted = _new_code(code)
        try:
            with writing():
                if wanted == self._special or not _claim(user_id, wanted):
                    raise _why_not(user_id, wanted)
                Affiliate.insert(user=user_id).execute()
        except peewee.IntegrityError:
            raise CodeClaimed from None
        return wanted

    def use(self, *, user_id: int, code: object, now: Millis) -> Balances:
        """Use a code: a bonus for the player, who from now on counts for the code's owner.

        Returns what the player has then. Raises CodeRequired, CodeInvalid, OwnCode, CodeAlreadyUsed, in
        this order. Of many uses by one player at once one is let through. The special code counts for
        nobody, even if it was some player's own before it became the special one.
        """
        used = _given(code)
        owner_id = None if used == self._special else _owner_of(used)
        if owner_id == user_id:
            raise OwnCode
        with writing():
            if not _mark_used(user_id, used):
                raise CodeAlreadyUsed
            bonus = _post_bonus(user_id, now)
            if owner_id is not None:
                referrals.begin(
                    user_id=user_id, owner_id=owner_id, bonus=USE_BONUS, transaction_id=bonus, now=now
                )
            return balances_of(user_id)


def _text(code: object) -> str:
    # A number or a list is no code that somebody typed; to the client it is as if there were none.
    if not isinstance(code, str) or not code.strip():
        raise CodeRequired
    return code


def _new_code(code: object) -> Code:
    text = _text(code)
    if not ALPHANUMERIC.fullmatch(text):
        raise CodeNotAlphanumeric
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH:
        raise CodeLength
    return Code(text.upper())


def _given(code: object) -> Code:
    text = _text(code)
    # Before uppercase: some letters become ASCII by it, such as the long s.
    if not ALPHANUMERIC.fullmatch(text):
        raise CodeInvalid
    return Code(text.upper())


@reading()
def _owner_of(code: Code) -> int:
    owner = User.select(User.id).where(User.affiliate_code == code).scalar()
    if owner is None:
        raise CodeInvalid
    return int(owner)


def _claim(user_id: int, code: Code) -> bool:
    """Set the player's code if there is none. Raises IntegrityError when it is another player's."""
    query = User.update(affiliate_code=code).where(User.id == user_id, User.affiliate_code.is_null())
    return bool(query.execute())


def _why_not(user_id: int, wanted: Code) -> CodeUnchanged | CodeAlreadySet | CodeClaimed:
    own = users.get_by_id(user_id).affiliate_code
    if own == wanted:
        return CodeUnchanged()
    return CodeAlreadySet() if own else CodeClaimed()


def _mark_used(user_id: int, code: Code) -> bool:
    """Note the code as used if none was; of two at once the second finds one and changes nothing."""
    query = User.update(used_affiliate_code=code, deposit_bonus=True, free_cases=0).where(
        User.id == user_id, User.used_affiliate_code.is_null()
    )
    return bool(query.execute())


def _post_bonus(user_id: int, now: Millis) -> TransactionId:
    return ledger.post(
        kind=Kind.CODE_BONUS,
        entries=[
            Entry(Account.HOUSE_BONUSES, Cents(-USE_BONUS)),
            Entry(Account.BALANCE, USE_BONUS, user_id),
        ],
        now=now,
    )
