"""Referrals: the players who used an owner's code, and what they brought the owner."""

from dataclasses import dataclass
from typing import Any

import peewee
from peewee import fn

from models.db.connection import reading, repeatable_read
from models.ledger import Affiliate, Referral
from models.users import User
from services.accounts import users
from services.ledger.posting import LedgerKind
from services.shared.money import Cents
from services.wallet.affiliates.commission import claimable_cents, earned_cents, rate_percent


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
def statistics(*, owner_id: int) -> list[Any]:
    """The players who used the owner's code, the most profitable first, then in the order of use.

    Each has what the player brought the owner in ``deposited_cents``, ``withdrawn_cents`` and
    ``earned_cents``, which may be negative.
    """
    earned = earned_cents(rate_percent(users.get_by_id(owner_id))).alias("earned_cents")
    query = (
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
