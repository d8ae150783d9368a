"""Audit of referrals and claims: their sums equal the payments, bonuses and claims in the ledger."""

from collections.abc import Iterator

import peewee
from peewee import fn

from models.affiliates import Affiliate, Referral
from models.ledger import LedgerEntry, LedgerTransaction
from models.payments import Payment
from models.users import User
from services.ledger.posting import Account, Kind


def mismatches() -> Iterator[str]:
    """A line for each wrong sum or owner of a referral, number of bonuses, or sum of claims."""
    yield from _wrong_sums("deposits", Referral.deposited_cents, _payments("deposit"))
    yield from _wrong_sums("withdrawals", Referral.withdrawn_cents, _payments("withdraw"))
    yield from _wrong_sums("bonuses", Referral.bonus_cents, _bonuses())
    yield from _wrong_codes()
    yield from _wrong_uses()
    yield from _wrong_claims()


def _payments(kind: str) -> peewee.Select:
    return (
        Payment.select(Payment.user, fn.SUM(Payment.usd_cents).alias("cents"))
        .join(Referral, on=(Referral.user == Payment.user))
        .where(Payment.type == kind, Payment.ledger_transaction > Referral.ledger_transaction)
        .group_by(Payment.user)
    )


def _bonuses() -> peewee.Select:
    return (
        LedgerEntry.select(LedgerEntry.user, fn.SUM(LedgerEntry.amount_cents).alias("cents"))
        .join(LedgerTransaction)
        .join(Referral, on=(Referral.user == LedgerEntry.user))
        .where(
            LedgerTransaction.kind == Kind.CODE_BONUS,
            LedgerEntry.account == Account.BALANCE,
            LedgerTransaction.id >= Referral.ledger_transaction,
        )
        .group_by(LedgerEntry.user)
    )


def _wrong_sums(what: str, kept: peewee.BigIntegerField, source: peewee.Select) -> Iterator[str]:
    summed = source.alias("summed")
    query = (
        Referral.select(User.platform_id)
        .join(User, on=(Referral.user == User.id))
        .join(summed, peewee.JOIN.LEFT_OUTER, on=(summed.c.user_id == Referral.user))
        .where(kept != fn.COALESCE(summed.c.cents, 0))
    )
    for platform_id in query.scalars():
        yield f"the referral's {what} of {platform_id} differ from their payments or bonuses"


def _wrong_codes() -> Iterator[str]:
    owner = User.alias("owner")
    query = (
        Referral.select(User.platform_id)
        .join(User, on=(Referral.user == User.id))
        .join(owner, on=(Referral.owner == owner.id))
        .where(fn.COALESCE(User.used_affiliate_code, "") != fn.COALESCE(owner.affiliate_code, ""))
    )
    for platform_id in query.scalars():
        yield f"the referral of {platform_id} belongs to another player than the owner of the code"


def _wrong_uses() -> Iterator[str]:
    """A player who has used a code has one bonus; a player who has not has none."""
    bonuses = (
        LedgerEntry.select(LedgerEntry.user, fn.COUNT(LedgerEntry.id).alias("count"))
        .join(LedgerTransaction)
        .where(LedgerTransaction.kind == Kind.CODE_BONUS, LedgerEntry.account == Account.BALANCE)
        .group_by(LedgerEntry.user)
        .alias("bonuses")
    )
    uses = peewee.Case(None, [(User.used_affiliate_code.is_null(), 0)], 1)
    query = (
        User.select(User.platform_id)
        .join(bonuses, peewee.JOIN.LEFT_OUTER, on=(bonuses.c.user_id == User.id))
        .where(uses != fn.COALESCE(bonuses.c.count, 0))
    )
    for platform_id in query.scalars():
        yield f"the bonuses of {platform_id} do not match the use of a code"


def _wrong_claims() -> Iterator[str]:
    claims = (
        LedgerEntry.select(LedgerEntry.user, fn.SUM(LedgerEntry.amount_cents).alias("cents"))
        .join(LedgerTransaction)
        .where(LedgerTransaction.kind == Kind.AFFILIATE_CLAIM, LedgerEntry.account == Account.BALANCE)
        .group_by(LedgerEntry.user)
        .alias("claims")
    )
    query = (
        User.select(User.platform_id)
        .join(Affiliate, peewee.JOIN.LEFT_OUTER, on=(Affiliate.user == User.id))
        .join(claims, peewee.JOIN.LEFT_OUTER, on=(claims.c.user_id == User.id))
        .where(fn.COALESCE(Affiliate.claimed_cents, 0) != fn.COALESCE(claims.c.cents, 0))
    )
    for platform_id in query.scalars():
        yield f"the claimed earnings of {platform_id} differ from the ledger"
