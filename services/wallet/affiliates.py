"""Promo codes, the players who used them, and the commission of their owners.

Each player can set one code, once, and use another player's code, once. Codes are stored and compared in
uppercase. ``special`` is a code, in uppercase, that gives the bonus without having an owner.
"""

import re
from dataclasses import dataclass
from typing import Any

import peewee
from peewee import fn

from models.db.connection import reading, repeatable_read, writing
from models.ledger import Affiliate, Referral
from models.users import SHOWN_AVATAR, SHOWN_NAME, User
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

TIERS = (
    (Cents(100_000_00), 25),
    (Cents(50_000_00), 20),
    (Cents(10_000_00), 12),
    (Cents(5_000_00), 10),
    (Cents(0), 8),
)
"""The owner's loss in cents from which each percentage holds."""

PERCENT_OF_UCENTS = 100 * 10**6
"""What one cent is in percent of millionths."""


class CodeClaimed(Refusal):
    """The code belongs to another player, or is the special code."""

    text = "This promo code already has been claimed by someone else."


def set_code(*, user_id: int, code: object, special: str | None, now: Millis) -> None:
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


def use_code(*, user_id: int, code: object, special: str | None, now: Millis) -> User:
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
    is_open_account = User.closed_at_ms.is_null()
    owner_id: int | None = User.select(User.id).where(User.affiliate_code == code, is_open_account).scalar()
    return owner_id


def rate_percent(owner: User) -> int:
    """The owner's commission in whole percent. It depends on their loss: wagers less payouts, at least 0."""
    loss = max(owner.wagered_cents - owner.earned_cents, 0)
    return next(percent for bound, percent in TIERS if loss >= bound)


def earned_cents(percent: int) -> peewee.ColumnBase:
    """SQL for (deposited - (withdraws + bonuses)) x rate of a referral, down to the cent.

    Rounded toward minus infinity, because the house pays it. Both databases divide integers toward zero, so
    99 is subtracted from negative numbers first.
    """
    net = Referral.deposited_cents - (Referral.withdrawn_cents + Referral.bonus_cents)
    hundredths = net * percent
    return peewee.Case(None, [(hundredths >= 0, hundredths / 100)], (hundredths - 99) / 100)


def claimable_cents(percent: int) -> peewee.ColumnBase:
    """SQL for what can be claimed for a referral: what it earned, within 0 and its part of what bets cost.

    What the player's bets have cost on average since the code was used, not what the player has lost: who
    claims the losses of a second account, and keeps its wins, would gain. The rate is a quarter at most, so
    claims are a quarter at most of what the house keeps on average.
    """
    cost = User.theoretical_loss_ucents - Referral.theoretical_loss_before_ucents
    earned, bound = earned_cents(percent), cost * percent / PERCENT_OF_UCENTS
    return peewee.Case(None, [(earned <= 0, 0), (earned < bound, earned)], bound)


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The sums over all players whom the owner referred, in cents."""

    commission_percent: int
    affiliates: int
    deposited: Cents
    withdrawn: Cents
    earnings: Cents
    """At least 0, although those from one player may be negative."""
    claimable: Cents
    """The part of the earnings that can be claimed for the bets of the players."""
    claimed: Cents

    @property
    def available(self) -> Cents:
        """The earnings less the claims; 0 if the earnings have fallen below the claims."""
        return Cents(max(min(self.earnings, self.claimable) - self.claimed, 0))


def count_payment(*, user_id: int, kind: LedgerKind, usd: Cents) -> None:
    """Add a deposit or withdrawal to the sums of the player's referral, if there is one.

    Call this in the payment's transaction, after its ledger posting has locked the player's row. A concurrent
    use of a code has then either committed before and is seen here, or waits.
    """
    column = Referral.deposited_cents if kind is LedgerKind.DEPOSIT else Referral.withdrawn_cents
    Referral.update({column: column + usd}).where(Referral.user == user_id).execute()


@reading()
def referred_players(*, owner_id: int) -> list[Any]:
    """The players who used the owner's code, the most profitable first, then in the order of use.

    Each has what the player brought the owner in ``deposited_cents``, ``withdrawn_cents`` and
    ``earned_cents``, which may be negative.
    """
    earned = earned_cents(rate_percent(users.get_by_id(owner_id))).alias("earned_cents")
    query = (
        Referral.select(
            User.platform_id,
            peewee.SQL(SHOWN_NAME).alias("username"),
            peewee.SQL(SHOWN_AVATAR).alias("avatar"),
            Referral.deposited_cents,
            Referral.withdrawn_cents,
            earned,
        )
        .join(User, on=(Referral.user == User.id))
        .where(Referral.owner == owner_id)
        .order_by(earned.desc(), Referral.ledger_transaction)
    )
    return list(query.namedtuples())


def overview(*, owner_id: int) -> Overview:
    """The sums over all players who used the owner's code, all of one moment."""
    with repeatable_read(within_limit=True):
        percent = rate_percent(users.get_by_id(owner_id))
        sums: Any = (
            Referral.select(
                fn.COUNT(Referral.user),
                _sum(Referral.deposited_cents),
                _sum(Referral.withdrawn_cents),
                _sum(earned_cents(percent)),
                _sum(claimable_cents(percent)),
            )
            .join(User, on=(Referral.user == User.id))
            .where(Referral.owner == owner_id)
            .tuples()
            .get()
        )
        claimed = Affiliate.select(Affiliate.claimed_cents).where(Affiliate.user == owner_id).scalar() or 0
    affiliates, deposited, withdrawn, earned, claimable = map(int, sums)
    return Overview(
        commission_percent=percent,
        affiliates=affiliates,
        deposited=Cents(deposited),
        withdrawn=Cents(withdrawn),
        earnings=Cents(max(earned, 0)),
        claimable=Cents(claimable),
        claimed=Cents(claimed),
    )


def _sum(cents: peewee.ColumnBase) -> peewee.Function:
    return fn.COALESCE(fn.SUM(cents), 0)


def claim(*, user_id: int, now: Millis) -> tuple[Cents, User]:
    """Move all available earnings of the player to the balance, if they are a cent or more.

    Returns what was claimed, and the player after that. The lock of the player's row makes concurrent
    claims take turns, so each pays what the others left. Raises Refusal if there is nothing.
    """
    with writing():
        users.lock(user_id)
        seen = overview(owner_id=user_id)
        if not seen.available:
            raise Refusal("There is nothing to claim")
        claimed = Affiliate.update(claimed_cents=seen.claimed + seen.available, last_claimed_at_ms=now)
        claimed.where(Affiliate.user == user_id).execute()
        move = Move(seen.available, Account.HOUSE_AFFILIATES, Account.BALANCE)
        posting.post(kind=LedgerKind.AFFILIATE_CLAIM, user_id=user_id, moves=[move], now=now)
        record(
            AuditEventType.EARNINGS_CLAIMED, now=now, user_id=user_id, after={"amountCents": seen.available}
        )
        return seen.available, users.get_by_id(user_id)
