"""The rules of the alarms. docs/office.md explains each of them; a test compares both lists."""

from collections import Counter
from typing import Any

from peewee import fn

from models import beacons
from models.bets import Bet
from models.db.connection import reading
from models.items import PriceSource
from models.log import WaitingBet
from models.payments import Withdrawal, WithdrawalStatus
from models.staff import IS_PERFORMED, Proposal, StaffLoginFailure
from services.alarms import ledger, raised, returns, rewards
from services.alarms.raised import Concern, Found, Rule
from services.payments import discrepancies
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.money import Cents, price_text
from services.staff.login_failures import DAILY_TRIES, NETWORK_TRIES, NETWORK_WINDOW_MS
from services.staff.money_actions import CREDITING_ACTIONS
from settings import Settings

MINUTE, HOUR = MINUTE_MS, 60 * MINUTE_MS

LAST_BET = "last bet"

COMMITTED_MS = MINUTE_MS
"""A bet with a lower id may be committed later than this one, by less than this."""

ADJUSTMENT_DAYS = 7
ADJUSTMENT_TIMES = 5
"""How often the bound of a day is left by the sum of these days, for one alarm."""

MOST_MULTIPLES = 10
"""Alarms about one person at a time. Their text has the whole sum."""

LATE_MS = MINUTE_MS
"""How long a proof or a bet may wait after it was due, or settled."""

BEACON_IS_DUE_MS = 9_000
"""From the lock of a battle to its round, at the most: a round is at most 3 s later than it may be."""

MOST_UNPAID = 100
"""A rule has no more open alarms."""

OLD_FEED_PERIODS = 3
OLD_FEED_MS = 60 * MINUTE_MS
"""A price feed is old after so many refreshes, and not before this time."""


@reading()
def find_large_payouts(settings: Settings, now: Millis) -> Found:
    """The bets since the last check that paid so much. The first check finds none."""
    last = raised.progress(LAST_BET)
    older = Bet.created_at_ms <= now - COMMITTED_MS
    newest: Any = Bet.select(fn.MAX(Bet.id)).where(older, Bet.id > (last or 0))
    if last is None:
        newest = Bet.select(Bet.id).where(older).order_by(Bet.id.desc()).limit(1)
    progress = {LAST_BET: newest.scalar() or last or 0}
    if last is None:
        return Found(progress=progress)
    query: Any = (
        Bet.select(Bet.id, Bet.game, Bet.payout_cents)
        .where(Bet.id > last, Bet.payout_cents >= settings.alarm_payout_cents)
        .order_by(Bet.id)
    )
    return Found([large_payout(*row) for row in query.tuples()], progress)


def large_payout(bet_id: int, game: str, cents: Cents) -> Concern:
    """The concern about a bet that paid so much."""
    return Concern(f"bet {bet_id}", f"Bet {bet_id} ({game}) paid {price_text(Cents(cents))}")


@reading()
def find_large_adjustments(settings: Settings, now: Millis) -> Found:
    """Staff who have changed balances by much without a second person, over all players together.

    One person can change balances by OFFICE_FOUR_EYES_ABOVE in a day before a second person is needed. This
    finds who does so for days: a concern for each multiple of ADJUSTMENT_TIMES the bound.
    """
    bound = ADJUSTMENT_TIMES * max(settings.office_four_eyes_above_cents, 1)
    total = fn.SUM(fn.ABS(Proposal.amount_cents))
    query: Any = Proposal.select(Proposal.decided_by, total, fn.COUNT(Proposal.user.distinct()))
    is_recent = Proposal.decided_at_ms > now - ADJUSTMENT_DAYS * DAY_MS
    query = query.where(IS_PERFORMED, is_recent, Proposal.action.in_(CREDITING_ACTIONS))
    query = query.group_by(Proposal.decided_by).having(total > bound)
    return Found(
        [
            Concern(
                f"{name}, {multiple} times",
                f"Staff: {name} has changed the balances of {players} players by"
                f" {price_text(Cents(int(cents)))} in {ADJUSTMENT_DAYS} days without a second person",
                staff=name,
            )
            for name, cents, players in query.tuples()
            for multiple in range(1, MOST_MULTIPLES + 1)
            if cents > multiple * bound
        ]
    )


def find_payment_discrepancies(_settings: Settings, _now: Millis) -> Found:
    """The kinds of discrepancies of the reconciliation that are open."""
    kinds = Counter(discrepancy.kind for discrepancy in discrepancies.open_discrepancies())
    return Found(
        [Concern(kind, f"Payments: {number} open discrepancies of {kind}") for kind, number in kinds.items()]
    )


@reading()
def find_unpaid_withdrawals(_settings: Settings, now: Millis) -> Found:
    """The withdrawals that were sent a day ago and are not paid."""
    unpaid = (
        Withdrawal.select()
        .where(Withdrawal.status == WithdrawalStatus.SENT, Withdrawal.changed_at_ms < now - DAY_MS)
        .order_by(Withdrawal.changed_at_ms, Withdrawal.id)
        .limit(MOST_UNPAID)
    )
    text = "Payments: the withdrawal {} of {} was sent a day ago and is not paid"
    return Found(
        [Concern(each.id, text.format(each.id, price_text(Cents(each.amount_cents)))) for each in unpaid]
    )


@reading()
def find_failed_logins(_settings: Settings, now: Millis) -> Found:
    """Networks that a name is locked for, and names that are locked everywhere."""
    row = StaffLoginFailure
    recent: Any = (
        row.select(row.network, fn.COUNT(row.id))
        .where(row.at_ms.between(now - NETWORK_WINDOW_MS, now + MINUTE_MS))
        .group_by(row.network)
        .having(fn.COUNT(row.id) >= NETWORK_TRIES)
    )
    of_day: Any = (
        row.select(row.name_digest)
        .where(row.at_ms.between(now - DAY_MS, now + MINUTE_MS))
        .group_by(row.name_digest)
        .having(fn.COUNT(row.id) >= DAILY_TRIES)
    )
    found = [
        Concern(network, f"Staff: {tries} wrong tries to sign in from {network} in 15 minutes")
        for network, tries in recent.tuples()
    ]
    # The name itself is not stored.
    found += [
        Concern(f"name {digest[:16]}", f"Staff: {DAILY_TRIES} wrong tries with one name in a day")
        for digest in of_day.scalars()
    ]
    return Found(found)


@reading()
def find_old_prices(settings: Settings, now: Millis) -> Found:
    """The price feed, if it is set and its last success is too long ago."""
    oldest = now - max(OLD_FEED_PERIODS * settings.price_refresh_seconds * 1000, OLD_FEED_MS)
    source = PriceSource.get_or_none(PriceSource.name == "feed")
    if not settings.price_feed_url or source is None:
        return Found()
    # Without a success yet, its failures say that something is wrong.
    is_old = source.failures > 0 if source.succeeded_at_ms is None else source.succeeded_at_ms < oldest
    return Found(
        [Concern("feed", "Prices: the price feed has not been refreshed for long")] if is_old else []
    )


@reading()
def find_late_proofs(_settings: Settings, now: Millis) -> Found:
    """Proofs that were due a minute ago and that no process has sent."""
    late = (
        Bet.select(Bet.id)
        .where(Bet.proof_held_by.is_null(), Bet.proof_delivered_at_ms.is_null())
        .where(Bet.proof_due_at_ms < now - LATE_MS)
        .limit(1)
    )
    is_late = late.scalar() is not None
    return Found([Concern("proofs", "Proofs have waited for more than a minute")] if is_late else [])


@reading()
def find_old_checkpoint(_settings: Settings, now: Millis) -> Found:
    """Bets that were settled a minute ago and are not in the public log."""
    first: Any = (
        Bet.select(Bet.created_at_ms)
        .join(WaitingBet, on=(WaitingBet.bet_id == Bet.id))
        .order_by(WaitingBet.bet_id)
        .limit(1)
    )
    waits_since = first.scalar()
    is_late = waits_since is not None and waits_since < now - LATE_MS
    text = "The public log: bets have waited for a checkpoint for more than a minute"
    return Found([Concern("log", text)] if is_late else [])


def find_late_beacons(_settings: Settings, now: Millis) -> Found:
    """Rounds that locked battles have waited for for a minute, and relays that give no beacons meanwhile."""
    late = beacons.late_rounds(now - BEACON_IS_DUE_MS - LATE_MS, at_most=MOST_UNPAID)
    text = "Battles: round {} of the beacon is more than a minute late, and battles wait for it"
    found = [Concern(f"round {round_}", text.format(round_)) for round_ in late]
    if beacons.are_relays_silent(now - LATE_MS):
        found.append(Concern("relays", "Battles: no relay has given a new beacon for a minute"))
    return Found(found)


RULES = (
    Rule("large-payout", find_large_payouts, MINUTE, is_event=True),
    Rule("large-grants", find_large_adjustments, MINUTE),
    Rule("payment-discrepancies", find_payment_discrepancies, MINUTE),
    Rule("unpaid-withdrawals", find_unpaid_withdrawals, MINUTE),
    Rule("failed-logins", find_failed_logins, MINUTE),
    Rule("old-prices", find_old_prices, MINUTE),
    Rule("late-proofs", find_late_proofs, MINUTE),
    Rule("old-checkpoint", find_old_checkpoint, MINUTE),
    Rule("late-beacons", find_late_beacons, MINUTE),
    Rule("return-to-player", returns.find, HOUR),
    Rule("reward-costs", rewards.find, HOUR),
    Rule("ledger-transactions", ledger.find_transactions, HOUR, is_event=True),
    # After the transactions, on which it builds.
    Rule("ledger-balances", ledger.find_balances, HOUR),
)
