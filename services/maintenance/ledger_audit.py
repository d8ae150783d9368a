"""Audits the ledger: balances equal their entries, transactions sum to zero, totals equal their rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

import peewee
from peewee import fn

from models.bets import Bet, Prize
from models.cases import CASE, Case, CaseItem
from models.db.connection import repeatable_read
from models.figures import THEORETICAL_LOSS_UCENTS
from models.items import Item
from models.ledger import Affiliate, LedgerEntry, LedgerTransaction, Referral
from models.payments import PaymentRecord, PaymentType
from models.rewards import Reward, RewardKind, RewardState
from models.users import User
from services.battles import audit as battles_audit
from services.cases.contents import price_of
from services.cases.kinds import game_type
from services.ledger import audit as postings_audit
from services.ledger.audit import differing
from services.ledger.posting import PLAYERS_ACCOUNTS, Account, LedgerKind
from services.maintenance import statistics_audit
from services.payments import audit as payments_audit
from services.wallet.prizes import Status

HELD = {
    Account.HOUSE_PRIZES: (Status.KEPT, Status.SHIPPING),
    Account.HOUSE_SHIPPED: (Status.SHIPPED,),
}
"""The accounts of the house, and the prizes whose value each holds."""


@dataclass(frozen=True)
class LedgerAudit:
    """How much was read, and the lines of all mismatches."""

    users: int
    transactions: int
    entries: int
    mismatches: list[str]


def audit() -> LedgerAudit:
    """Check the whole ledger in one transaction, while players may play."""
    with repeatable_read():
        return LedgerAudit(
            users=User.select().count(),
            transactions=LedgerTransaction.select().count(),
            entries=LedgerEntry.select().count(),
            mismatches=list(_mismatches()),
        )


def _mismatches() -> Iterator[str]:
    """A line for each mismatch: ids and times only, never amounts."""
    yield from postings_audit.mismatches()
    yield from payments_audit.mismatches()
    yield from battles_audit.mismatches()
    yield from _affiliate_mismatches()
    yield from _reward_mismatches()
    yield from _forfeit_mismatches()
    yield from _prize_mismatches()
    yield from statistics_audit.mismatches()
    yield from _case_mismatches()


def _affiliate_mismatches() -> Iterator[str]:
    """A line for each wrong sum or owner of a referral, number of bonuses, or sum of claims."""
    players = User.select(User.platform_id)
    referred = players.join(Referral, on=(Referral.user == User.id))
    for what, stored, source in (
        ("deposits", Referral.deposited_cents, _payments_of_referrals("deposit")),
        ("withdrawals", Referral.withdrawn_cents, _payments_of_referrals("withdraw")),
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


def _payments_of_referrals(kind: str) -> peewee.Select:
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


def _reward_mismatches() -> Iterator[str]:
    """A line if the house's account differs from what was paid, and for each reward or posting alone.

    And for each reward that differs from the bet that has used it, each free bet without a reward, and each
    player with another number of opened free cases than such rewards.
    """
    yield from _coin_mismatches()
    used = (
        Reward.select(Reward.id)
        .join(Bet, on=(Reward.bet == Bet.id))
        .where(
            (Bet.user != Reward.user)
            | (Bet.game != CASE)
            | (fn.COALESCE(Bet.case_id, 0) != Reward.case)
            | (Bet.wager_cents != 0)
            | (Bet.created_at_ms != Reward.changed_at_ms)
        )
    )
    for reward_id in used.scalars():
        yield f"reward {reward_id} differs from its bet"
    free = Bet.select(Bet.id).join(Reward, peewee.JOIN.LEFT_OUTER, on=(Reward.bet == Bet.id))
    for bet_id in free.where(Bet.wager_cents == 0, Reward.id.is_null()).scalars():
        yield f"bet {bet_id} cost nothing, and has used no reward"
    of_codes = (
        Reward.select(Reward.user, fn.COUNT(Reward.id).alias("number"))
        .where(Reward.kind == RewardKind.CODE, Reward.state == RewardState.USED)
        .group_by(Reward.user)
    )
    for player in differing(User.select(User.platform_id), User.free_cases, of_codes):
        yield f"the free cases that {player} has opened differ from the rewards"


def _coin_mismatches() -> Iterator[str]:
    posted = LedgerEntry.select(fn.SUM(LedgerEntry.amount_cents)).where(
        LedgerEntry.user.is_null(), LedgerEntry.account == Account.HOUSE_REWARDS
    )
    paid = Reward.select(fn.SUM(Reward.coins_cents)).where(Reward.ledger_transaction.is_null(False))
    if (posted.scalar() or 0) + (paid.scalar() or 0) != 0:
        yield f"{Account.HOUSE_REWARDS} differs from the rewards that were paid"
    own = LedgerEntry.alias("own")
    is_of_reward = (
        (own.transaction == Reward.ledger_transaction)
        & (own.account == Account.BALANCE)
        & (own.user == Reward.user)
        & (own.amount_cents == Reward.coins_cents)
    )
    differ = Reward.select(Reward.id).join(own, peewee.JOIN.LEFT_OUTER, on=is_of_reward)
    for reward_id in differ.where(Reward.ledger_transaction.is_null(False), own.id.is_null()).scalars():
        yield f"reward {reward_id} differs from its posting"
    alone = (
        LedgerTransaction.select(LedgerTransaction.id)
        .join(Reward, peewee.JOIN.LEFT_OUTER, on=(Reward.ledger_transaction == LedgerTransaction.id))
        .where(LedgerTransaction.kind == LedgerKind.REWARD, Reward.id.is_null())
    )
    for transaction_id in alone.scalars():
        yield f"transaction {transaction_id} pays no reward"
    yield from _bonus_mismatches()


def _bonus_mismatches() -> Iterator[str]:
    """A line for each bonus without a deposit of its player, and each that was paid too early."""
    of_bonuses = Reward.select(Reward.id).where(Reward.kind == RewardKind.BONUS)
    is_other = (PaymentRecord.user != Reward.user) | (PaymentRecord.type != PaymentType.DEPOSIT)
    of_others = of_bonuses.join(PaymentRecord, on=(Reward.payment == PaymentRecord.id)).where(is_other)
    for reward_id in of_others.scalars():
        yield f"bonus {reward_id} belongs to another payment than a deposit of its player"
    paid_by_bets = User.theoretical_loss_ucents - Reward.theoretical_loss_ucents
    is_early = (Reward.state == RewardState.CLAIMED) & (paid_by_bets < Reward.needed_ucents)
    for reward_id in of_bonuses.join(User, on=(Reward.user == User.id)).where(is_early).scalars():
        yield f"bonus {reward_id} was paid before the bets that it needs"


def _forfeit_mismatches() -> Iterator[str]:
    """A line for each closing that does more than give a player's coins up, or prizes that came back."""
    is_forfeit = LedgerEntry.account == Account.HOUSE_FORFEITED
    given_up = [*PLAYERS_ACCOUNTS, Account.HOUSE_PRIZES]
    is_own = LedgerEntry.account.in_(given_up) & (LedgerEntry.amount_cents < 0)
    is_closing = LedgerTransaction.kind == LedgerKind.ACCOUNT_CLOSED
    wrong = LedgerEntry.select(LedgerEntry.transaction).join(LedgerTransaction).distinct()
    others = wrong.where(is_closing, ~is_own, ~is_forfeit)
    for transaction_id in (wrong.where(is_forfeit, ~is_closing) | others).tuples():
        yield f"transaction {transaction_id[0]} forfeits what is not of a closed account"


def _prize_mismatches() -> Iterator[str]:
    """A line for each account with another sum than its prizes, and each prize that differs from its bet."""
    for account, statuses in HELD.items():
        posted = LedgerEntry.select(fn.SUM(LedgerEntry.amount_cents)).where(
            LedgerEntry.user.is_null(), LedgerEntry.account == account
        )
        held = Prize.select(fn.SUM(Prize.value_cents)).where(Prize.status.in_(statuses))
        if (posted.scalar() or 0) != (held.scalar() or 0):
            yield f"{account} differs from the prizes that are {' or '.join(statuses)}"
    for prize_id in _of_other_bets().scalars():
        yield f"prize {prize_id} differs from its bet"
    for bet_id in _missing_prizes().scalars():
        yield f"bet {bet_id} has no prize"


def _of_other_bets() -> peewee.Select:
    return (
        Prize.select(Prize.id)
        .join(Bet)
        .where(
            (Prize.user != Bet.user)
            | (Prize.name != Bet.item)
            | (Prize.value_cents != Bet.payout_cents)
            | (Prize.won_at_ms != Bet.created_at_ms)
        )
    )


def _missing_prizes() -> peewee.Select:
    return (
        Bet.select(Bet.id)
        .join(Prize, peewee.JOIN.LEFT_OUTER, on=(Prize.bet == Bet.id))
        .where(Bet.algorithm == "irl-1", Prize.id.is_null())
    )


def _case_mismatches() -> Iterator[str]:
    """One line for each wrong price or type. Reads in the caller's transaction."""
    query = (
        Case.select(
            Case.slug,
            Case.price_cents,
            Case.type,
            Item.price_cents,
            Item.app_id,
            CaseItem.ticket_width,
        )
        .join(CaseItem, on=(CaseItem.case == Case.id))
        .join(Item, on=(CaseItem.item == Item.id))
        .order_by(Case.id)
    )
    by_case = groupby(query.tuples().iterator(), key=itemgetter(0, 1, 2))
    for (slug, price, type_), rows in by_case:
        held = [row[3:] for row in rows]
        if price_of((cents, chance) for cents, _, chance in held) != price:
            yield f"the price of the case {slug} differs from its items'"
        if game_type({app_id for _, app_id, _ in held}) != type_:
            yield f"the type of the case {slug} differs from its items'"
