"""What is late or waits: prices, proofs, the public log, discrepancies of payments, sign-ins of staff."""

from collections import Counter
from typing import Any

from peewee import fn

from models.bets import Bet
from models.db.connection import reading
from models.items import PriceSource
from models.log import WaitingBet
from models.payments import Withdrawal, WithdrawalStatus
from models.staff import StaffLoginFailure
from services.alarms.rule import Concern, Found
from services.payments import discrepancies
from services.shared.clock import DAY_MS, MINUTE_MS, Millis
from services.shared.money import Cents, price_text
from services.staff.login_failures import DAILY_TRIES, NETWORK_TRIES, NETWORK_WINDOW_MS
from settings import Settings

LATE_MS = MINUTE_MS
"""How long a proof or a bet may wait after it was due, or settled."""

MOST_UNPAID = 100
"""A rule has no more open alarms."""

OLD_FEED_PERIODS = 3
OLD_FEED_MS = 60 * MINUTE_MS
"""A price feed is old after so many refreshes, and not before this time."""


def find_payment_discrepancies(settings: Settings, now: Millis) -> Found:  # noqa: ARG001  # as a rule has it
    """The kinds of discrepancies of the reconciliation that are open."""
    kinds = Counter(discrepancy.kind for discrepancy in discrepancies.open_discrepancies())
    return Found(
        [Concern(kind, f"Payments: {number} open discrepancies of {kind}") for kind, number in kinds.items()]
    )


@reading()
def find_unpaid_withdrawals(settings: Settings, now: Millis) -> Found:  # noqa: ARG001  # as a rule has it
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
def find_failed_logins(settings: Settings, now: Millis) -> Found:  # noqa: ARG001  # as a rule has it
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
def find_late_proofs(settings: Settings, now: Millis) -> Found:  # noqa: ARG001  # as a rule has it
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
def find_old_checkpoint(settings: Settings, now: Millis) -> Found:  # noqa: ARG001  # as a rule has it
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
