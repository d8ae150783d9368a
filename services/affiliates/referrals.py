"""Who came by whose code, and what that amounts to."""

from dataclasses import dataclass
from typing import Any

import peewee
from peewee import fn

from models.affiliates import Affiliate, Referral
from models.database import reading
from models.users import User
from services import users
from services.affiliates.commission import earned_cents, rate_percent
from services.clock import Millis
from services.ledger import TransactionId
from services.money import NO_COINS, Cents


@dataclass(frozen=True, kw_only=True)
class ReferredPlayer:
    """What one player has brought the owner of the code they used, in cents; ``earned`` may be negative."""

    platform_id: str
    username: str
    avatar: str
    deposited: Cents
    withdrawn: Cents
    earned: Cents


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What all referred players have brought an owner, in cents."""

    commission_percent: int
    affiliates: int
    deposited: Cents
    withdrawn: Cents
    earnings: Cents
    available: Cents


def begin(*, user_id: int, owner_id: int, bonus: Cents, transaction_id: TransactionId, now: Millis) -> None:
    """Let a player count for an owner from the bonus of this ledger transaction on.

    Part of the transaction that marks the code as used.
    """
    Referral.insert(
        user=user_id,
        owner=owner_id,
        ledger_transaction=transaction_id,
        used_at_ms=now,
        bonus_cents=bonus,
    ).execute()


def count_deposit(*, user_id: int, amount: Cents) -> None:
    """Add a deposit to what the player has brought, if somebody's code brought them.

    Part of the payment's transaction, after its ledger posting: that has locked the player's row, so a
    code used at the same moment either came before and is seen here, or comes after.
    """
    _count(user_id, Referral.deposited_cents, amount)


def count_withdrawal(*, user_id: int, amount: Cents) -> None:
    """Add a withdrawal likewise, and as ``count_deposit`` does."""
    _count(user_id, Referral.withdrawn_cents, amount)


def _count(user_id: int, column: peewee.BigIntegerField, amount: Cents) -> None:
    Referral.update({column: column + amount}).where(Referral.user == user_id).execute()


@reading()
def statistics(*, owner_id: int) -> list[ReferredPlayer]:
    """The players who used the owner's code, by what they earned the owner, the most first.

    Of equal ones, who came first. One query for the players, however many.
    """
    earned = earned_cents(rate_percent(users.get_by_id(owner_id))).alias("earned")
    rows: Any = (
        Referral.select(
            User.platform_id,
            User.username,
            User.avatar,
            Referral.deposited_cents,
            Referral.withdrawn_cents,
            earned,
        )
        .join(User, on=(Referral.user == User.id))
        .where(Referral.owner == owner_id)
        .order_by(earned.desc(), Referral.ledger_transaction)
        .tuples()
    )
    return [
        ReferredPlayer(
            platform_id=platform_id,
            username=username,
            avatar=avatar,
            deposited=deposited,
            withdrawn=withdrawn,
            earned=earned,
        )
        for platform_id, username, avatar, deposited, withdrawn, earned in rows
    ]


@reading()
def overview(*, owner_id: int) -> Overview:
    """The sums of all that the owner's code has brought.

    Earnings are not below 0 in total, though those of single players may be; nor is what is left of them
    after what was claimed. Source: SPEC 2.11, DECISIONS 7.
    """
    percent = rate_percent(users.get_by_id(owner_id))
    sums: Any = (
        Referral.select(
            fn.COUNT(Referral.user),
            _sum(Referral.deposited_cents),
            _sum(Referral.withdrawn_cents),
            _sum(earned_cents(percent)),
        )
        .where(Referral.owner == owner_id)
        .tuples()
        .get()
    )
    affiliates, deposited, withdrawn, earned = map(int, sums)
    earnings = max(earned, NO_COINS)
    return Overview(
        commission_percent=percent,
        affiliates=affiliates,
        deposited=Cents(deposited),
        withdrawn=Cents(withdrawn),
        earnings=Cents(earnings),
        available=Cents(max(earnings - _claimed(owner_id), NO_COINS)),
    )


def _sum(cents: peewee.ColumnBase) -> peewee.Function:
    return fn.COALESCE(fn.SUM(cents), 0)


def _claimed(owner_id: int) -> Cents:
    claimed = Affiliate.select(Affiliate.claimed_cents).where(Affiliate.user == owner_id).scalar()
    return Cents(claimed or 0)
