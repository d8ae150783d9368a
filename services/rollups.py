"""Keeping the sums and counts of models/rollups.py up: by the transaction that makes what they count.

Every posting takes its row locks in one order: the player's own rows, and last the shard that players
share. So no two transactions wait for each other, and a shared row is held for the shortest time.
"""

from peewee import EXCLUDED

from models.bets import Bet
from models.payments import Payment
from models.rollups import LIVE_BET_SHARDS, LiveBetCount, PaymentTotals, PeriodWager
from models.users import User
from services.bets import is_high_roll
from services.clock import Millis
from services.periods import Period


def add_bet(bet: Bet) -> None:
    """Count a bet for its player's totals, the leaderboard and the live bets, in the spin's transaction."""
    user_id: int = bet.user_id  # type: ignore[attr-defined]  # made by peewee
    made_at = Millis(bet.created_at_ms)
    User.update(
        wagered_cents=User.wagered_cents + bet.wager_cents, earned_cents=User.earned_cents + bet.payout_cents
    ).where(User.id == user_id).execute()
    PeriodWager.insert_many(
        [
            {
                "period": period,
                "starts_at_ms": period.start(made_at),
                "user": user_id,
                "wagered_cents": bet.wager_cents,
            }
            for period in Period
        ]
    ).on_conflict(
        conflict_target=[PeriodWager.period, PeriodWager.starts_at_ms, PeriodWager.user],
        update={PeriodWager.wagered_cents: PeriodWager.wagered_cents + EXCLUDED.wagered_cents},
    ).execute()
    LiveBetCount.insert(
        shard=user_id % LIVE_BET_SHARDS, bets=1, high_rolls=int(is_high_roll(bet))
    ).on_conflict(
        conflict_target=[LiveBetCount.shard],
        update={
            LiveBetCount.bets: LiveBetCount.bets + EXCLUDED.bets,
            LiveBetCount.high_rolls: LiveBetCount.high_rolls + EXCLUDED.high_rolls,
        },
    ).execute()


def add_payment(payment: Payment) -> None:
    """Count a payment for its player's totals, in the transaction that records it."""
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
