"""Updates the totals within the transaction that writes a bet or a payment."""

from peewee import EXCLUDED

from models.db.prepared_query import PreparedQuery
from models.payments import Payment
from models.spin_settlement import Settlement, SpinTimes
from models.totals import LiveBetCount, PaymentTotals, PeriodWager

_ADD_WAGER = PreparedQuery(
    lambda value: PeriodWager.insert_many(
        [
            {
                "period": period,
                "starts_at_ms": value(starts_at),
                "user": value("user_id"),
                "wagered_cents": value("wager_cents"),
            }
            for period, starts_at in (("weekly", "week"), ("monthly", "month"))
        ]
    ).on_conflict(
        conflict_target=[PeriodWager.period, PeriodWager.starts_at_ms, PeriodWager.user],
        update={PeriodWager.wagered_cents: PeriodWager.wagered_cents + EXCLUDED.wagered_cents},
    )
)
_ADD_LIVE_BET = PreparedQuery(
    lambda value: LiveBetCount.insert(
        shard=value("shard"), bets=1, high_rolls=value("high_rolls")
    ).on_conflict(
        conflict_target=[LiveBetCount.shard],
        update={
            LiveBetCount.bets: LiveBetCount.bets + EXCLUDED.bets,
            LiveBetCount.high_rolls: LiveBetCount.high_rolls + EXCLUDED.high_rolls,
        },
    )
)


def add_bet(settlement: Settlement, times: SpinTimes) -> None:
    """Add a bet to the wagers of its week and month, and to the counts of live bets."""
    values = vars(settlement) | vars(times)
    _ADD_WAGER.execute(values)
    _ADD_LIVE_BET.execute(values)


def add_payment(payment: Payment) -> None:
    """Add a payment to its player's totals, in the transaction that records it."""
    user_id: int = payment.user_id  # type: ignore[attr-defined]  # made by peewee
    is_deposit = payment.type == "deposit"
    columns = (
        PaymentTotals.deposits,
        PaymentTotals.deposited_cents,
        PaymentTotals.withdraws,
        PaymentTotals.withdrawn_cents,
    )
    PaymentTotals.insert(
        user=user_id,
        deposits=int(is_deposit),
        deposited_cents=payment.usd_cents if is_deposit else 0,
        withdraws=int(not is_deposit),
        withdrawn_cents=0 if is_deposit else payment.usd_cents,
    ).on_conflict(
        conflict_target=[PaymentTotals.user],
        update={column: column + getattr(EXCLUDED, column.column_name) for column in columns},
    ).execute()
