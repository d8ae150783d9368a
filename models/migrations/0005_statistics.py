"""The sums and counts under statistics, live bets and the leaderboard, and the indexes of their lists."""

import peewee
from peewee import SQL, Check

# Frozen copies of the tables as of this migration. They never follow later changes of the models.


class Table(peewee.Model):
    class Meta:
        legacy_table_names = False


class User(Table):
    id = peewee.BigAutoField()

    class Meta:
        table_name = "users"


class Bet(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, index=False)
    nonce = peewee.BigIntegerField()
    payout_cents = peewee.BigIntegerField()
    completed_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "bets"


class Payment(Table):
    id = peewee.BigAutoField()
    user = peewee.ForeignKeyField(User, index=False)
    type = peewee.CharField(max_length=8)
    usd_cents = peewee.BigIntegerField()
    created_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "payments"


class PeriodWager(Table):
    period = peewee.CharField(max_length=8, constraints=[Check("period IN ('weekly', 'monthly')")])
    starts_at_ms = peewee.BigIntegerField()
    user = peewee.ForeignKeyField(User, on_delete="RESTRICT", index=False)
    wagered_cents = peewee.BigIntegerField(constraints=[Check("wagered_cents > 0")])

    class Meta:
        table_name = "period_wagers"
        primary_key = peewee.CompositeKey("period", "starts_at_ms", "user")


PeriodWager.add_index(
    PeriodWager.index(
        PeriodWager.period,
        PeriodWager.starts_at_ms,
        PeriodWager.wagered_cents.desc(),
        PeriodWager.user,
        name="period_wagers_leaderboard",
    )
)


class LiveBetCount(Table):
    shard = peewee.IntegerField(primary_key=True, constraints=[Check("shard BETWEEN 0 AND 63")])
    bets = peewee.BigIntegerField(constraints=[Check("bets >= 0")])
    high_rolls = peewee.BigIntegerField(constraints=[Check("high_rolls BETWEEN 0 AND bets")])

    class Meta:
        table_name = "live_bet_counts"


class PaymentTotals(Table):
    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="RESTRICT")
    deposits = peewee.BigIntegerField(constraints=[Check("deposits >= 0")])
    deposited_cents = peewee.BigIntegerField(constraints=[Check("deposited_cents >= 0")])
    withdraws = peewee.BigIntegerField(constraints=[Check("withdraws >= 0")])
    withdrawn_cents = peewee.BigIntegerField(constraints=[Check("withdrawn_cents >= 0")])

    class Meta:
        table_name = "payment_totals"


TABLES = (PeriodWager, LiveBetCount, PaymentTotals)

HIGH_ROLL = SQL("(wager_cents >= 5000 OR payout_cents >= 10 * wager_cents)")

Bet.add_index(Bet.index(Bet.completed_at_ms, Bet.id, name="bets_high_rolls", where=HIGH_ROLL))
Bet.add_index(
    Bet.index(Bet.user, Bet.payout_cents.desc(), Bet.nonce.desc(), name="bets_of_player_most_earned")
)
Bet.add_index(Bet.index(Bet.user, Bet.payout_cents, Bet.nonce.desc(), name="bets_of_player_least_earned"))
Payment.add_index(
    Payment.index(
        Payment.user, Payment.type, Payment.created_at_ms, Payment.id, name="payments_of_player_by_type"
    )
)
Payment.add_index(
    Payment.index(
        Payment.user,
        Payment.usd_cents.desc(),
        Payment.created_at_ms.desc(),
        Payment.id.desc(),
        name="payments_of_player_highest",
    )
)
Payment.add_index(
    Payment.index(
        Payment.user,
        Payment.usd_cents,
        Payment.created_at_ms.desc(),
        Payment.id.desc(),
        name="payments_of_player_lowest",
    )
)
Payment.add_index(
    Payment.index(
        Payment.user,
        Payment.type,
        Payment.usd_cents.desc(),
        Payment.created_at_ms.desc(),
        Payment.id.desc(),
        name="payments_of_player_by_type_highest",
    )
)
Payment.add_index(
    Payment.index(
        Payment.user,
        Payment.type,
        Payment.usd_cents,
        Payment.created_at_ms.desc(),
        Payment.id.desc(),
        name="payments_of_player_by_type_lowest",
    )
)

# A week begins on Monday 00:00 UTC; Monday 5 January 1970 is 345,600,000 ms after the epoch.
WEEK = "(created_at_ms - 345600000) / 604800000 * 604800000 + 345600000"
MONTH_OF_SQLITE = "strftime('%s', created_at_ms / 1000, 'unixepoch', 'start of month') * 1000"
MONTH_OF_POSTGRESQL = """
    CAST(EXTRACT(EPOCH FROM
        date_trunc('month', to_timestamp(created_at_ms / 1000) AT TIME ZONE 'UTC')) AS bigint)
    * 1000
"""

FILL_PERIOD = """
    INSERT INTO period_wagers (period, starts_at_ms, user_id, wagered_cents)
    SELECT '{period}', {start}, user_id, SUM(wager_cents) FROM bets GROUP BY 2, 3
"""
FILL_COUNTS = """
    INSERT INTO live_bet_counts (shard, bets, high_rolls)
    SELECT user_id & 63, COUNT(*),
           SUM(CASE WHEN wager_cents >= 5000 OR payout_cents >= 10 * wager_cents THEN 1 ELSE 0 END)
    FROM bets GROUP BY 1
"""
FILL_PAYMENTS = """
    INSERT INTO payment_totals (user_id, deposits, deposited_cents, withdraws, withdrawn_cents)
    SELECT user_id,
           SUM(CASE type WHEN 'deposit' THEN 1 ELSE 0 END),
           SUM(CASE type WHEN 'deposit' THEN usd_cents ELSE 0 END),
           SUM(CASE type WHEN 'withdraw' THEN 1 ELSE 0 END),
           SUM(CASE type WHEN 'withdraw' THEN usd_cents ELSE 0 END)
    FROM payments GROUP BY 1
"""


def up(migrator, db):
    month = MONTH_OF_SQLITE if isinstance(db, peewee.SqliteDatabase) else MONTH_OF_POSTGRESQL
    with db.bind_ctx((User, Bet, Payment, *TABLES)):
        db.create_tables(TABLES, safe=False)
        for table in (Bet, Payment):
            table._schema.create_indexes(safe=False)  # noqa: SLF001  # tables that are there already
    db.execute_sql(FILL_PERIOD.format(period="weekly", start=WEEK))
    db.execute_sql(FILL_PERIOD.format(period="monthly", start=month))
    db.execute_sql(FILL_COUNTS)
    db.execute_sql(FILL_PAYMENTS)
