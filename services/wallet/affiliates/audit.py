"""Audit of referrals and claims: their sums equal the payments, bonuses and claims in the ledger."""

from collections.abc import Iterator

import peewee
from peewee import fn

from models.bets import Bet
from models.figures import THEORETICAL_LOSS_UCENTS
from models.ledger import Affiliate, LedgerEntry, LedgerTransaction, Referral
from models.payments import PaymentRecord
from models.users import User
from services.ledger.audit import differing
from services.ledger.posting import Account, LedgerKind


def mismatches() -> Iterator[str]:
    """A line for each wrong sum or owner of a referral, number of bonuses, or sum of claims."""
    players = User.select(User.platform_id)
    referred = players.join(Referral, on=(Referral.user == User.id))
    for what, stored, source in (
        ("deposits", Referral.deposited_cents, _payments("deposit")),
        ("withdrawals", Referral.withdrawn_cents, _payments("withdraw")),
        ("bonuses", Referral.bonus_cents, _bonuses_of_referrals()),
    ):
        for player in differing(referred, stored, source):
            yield f"the referral's {what} of {player} differ from their payments or bonuses"

    for player in differing(referred, Referral.theoretical_loss_before_ucents, _losses_before()):
        yield f"the referral's theoretical loss of {player} differs from the bets before it"

    owner = User.alias("owner")
    other_code = fn.COALESCE(User.used_affiliate_code, "") != fn.COALESCE(owner.affiliate_code, "")
    for player in referred.join(owner, on=(Referral.owner == owner.id)).where(other_code).scalars():
        yield f"the referral of {player} belongs to another player than the owner of the code"

    # A player who has used a code has one bonus; a player who has not has none.
    uses = peewee.Case(None, [(User.used_affiliate_code.is_null(), 0)], 1)
    bonuses = _posted(LedgerKind.CODE_BONUS, fn.COUNT(LedgerEntry.id))
    for player in differing(players, uses, bonuses):
        yield f"the bonuses of {player} do not match the use of a code"

    owners = players.join(Affiliate, peewee.JOIN.LEFT_OUTER, on=(Affiliate.user == User.id))
    claims = _posted(LedgerKind.AFFILIATE_CLAIM, fn.SUM(LedgerEntry.amount_cents))
    for player in differing(owners, fn.COALESCE(Affiliate.claimed_cents, 0), claims):
        yield f"the claimed earnings of {player} differ from the ledger"


def _payments(kind: str) -> peewee.Select:
    """The sum of each player's payments of this kind since the player became a referral."""
    return (
        PaymentRecord.select(PaymentRecord.user, fn.SUM(PaymentRecord.usd_cents).alias("number"))
        .join(Referral, on=(Referral.user == PaymentRecord.user))
        .where(PaymentRecord.type == kind, PaymentRecord.ledger_transaction > Referral.ledger_transaction)
        .group_by(PaymentRecord.user)
    )


def _losses_before() -> peewee.Select:
    """The theoretical loss of each player before the player became a referral."""
    return (
        Bet.select(Bet.user, fn.SUM(peewee.SQL(THEORETICAL_LOSS_UCENTS)).alias("number"))
        .join(Referral, on=(Referral.user == Bet.user))
        .where(Bet.ledger_transaction < Referral.ledger_transaction)
        .group_by(Bet.user)
    )


def _posted(kind: LedgerKind, number: peewee.Function) -> peewee.Select:
    """A number from each player's balance entries of this kind."""
    return (
        LedgerEntry.select(LedgerEntry.user, number.alias("number"))
        .join(LedgerTransaction)
        .where(LedgerTransaction.kind == kind, LedgerEntry.account == Account.BALANCE)
        .group_by(LedgerEntry.user)
    )


def _bonuses_of_referrals() -> peewee.Select:
    return (
        _posted(LedgerKind.CODE_BONUS, fn.SUM(LedgerEntry.amount_cents))
        .join(Referral, on=(Referral.user == LedgerEntry.user))
        .where(LedgerTransaction.id >= Referral.ledger_transaction)
    )
