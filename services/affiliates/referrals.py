"""Referrals: the players who used an owner's code, and what they brought the owner."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import peewee
from peewee import fn

from models.affiliates import Affiliate, Referral
from models.db.connection import reading, snapshot
from models.payments import Payment
from models.users import User
from services.accounts import users
from services.affiliates.commission import earned_cents, rate_percent
from services.shared.money import Cents


@dataclass(frozen=True)
class ReferredPlayer:
    """A player who used the owner's code, and what that brought the owner, in cents."""

    platform_id: str
    username: str
    avatar: str
    deposited: int
    withdrawn: int
    earned: int
    """May be negative."""


@dataclass(frozen=True, kw_only=True)
class Overview:
    """What all referred players have brought the owner, in cents."""

    commission_percent: int
    affiliates: int
    deposited: Cents
    withdrawn: Cents
    earnings: Cents
    """At least 0, although those from one player may be negative."""
    claimed: Cents

    @property
    def available(self) -> Cents:
        """What claims leave of the earnings, which withdrawals may have lowered below what was claimed."""
        return Cents(max(self.earnings - self.claimed, 0))


@reading()
def statistics(*, owner_id: int) -> list[ReferredPlayer]:
    """The players who used the owner's code, the most profitable first, then in the order of use."""
    return _statistics(users.get_by_id(owner_id))


def overview(*, owner_id: int) -> Overview:
    """The sums over all players who used the owner's code, all of one moment."""
    with snapshot(within_limit=True):
        owner = users.get_by_id(owner_id)
        players = _statistics(owner)
        claimed = Affiliate.select(Affiliate.claimed_cents).where(Affiliate.user == owner_id).scalar() or 0
    return Overview(
        commission_percent=rate_percent(owner),
        affiliates=len(players),
        deposited=Cents(sum(player.deposited for player in players)),
        withdrawn=Cents(sum(player.withdrawn for player in players)),
        earnings=Cents(max(sum(player.earned for player in players), 0)),
        claimed=Cents(claimed),
    )


def _statistics(owner: User) -> list[ReferredPlayer]:
    percent = rate_percent(owner)
    is_counted = (Payment.user == Referral.user) & (Payment.ledger_transaction > Referral.ledger_transaction)
    query: Any = (
        Referral.select(
            User.platform_id,
            User.username,
            User.avatar,
            Referral.bonus_cents,
            _sum_of("deposit"),
            _sum_of("withdraw"),
        )
        .join(User, on=(Referral.user == User.id))
        .join(Payment, peewee.JOIN.LEFT_OUTER, on=is_counted)
        .where(Referral.owner == owner)
        .group_by(Referral.user, User.id)
        .order_by(Referral.ledger_transaction)
        .tuples()
    )
    players = []
    for platform_id, username, avatar, bonus, deposited, withdrawn in query:
        earned = earned_cents(net=deposited - (withdrawn + bonus), percent=percent)
        players.append(ReferredPlayer(platform_id, username, avatar, deposited, withdrawn, earned))
    return sorted(players, key=attrgetter("earned"), reverse=True)


def _sum_of(type_: str) -> peewee.ColumnBase:
    cents = peewee.Case(Payment.type, [(type_, Payment.usd_cents)], 0)
    # PostgreSQL's sums are decimals.
    return fn.SUM(cents).cast("BIGINT")
