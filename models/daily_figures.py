"""What the bets of each day come to, and what the house owed at its end. Days are in UTC.

A bet is added in the transaction that appends it to the public log (services/figures/daily_figures.py), so
its settlement costs no more for it.
"""

import peewee
from peewee import Check

from models.db.connection import Table

PRICE_CLASSES = {"under-10": 10_00, "under-100": 100_00, "under-1000": 1_000_00, "from-1000": None}
"""The classes of spins by the price of the item, with the price in cents that is too much for each."""


class DailyFigures(Table):
    """The bets of a day in one game: spins by the price of the item, openings by case."""

    day_starts_at_ms = peewee.BigIntegerField()
    game = peewee.CharField(max_length=16)
    # The id of a case in its snapshot. Empty for spins, and for openings whose snapshot is not intact.
    case_id = peewee.CharField(max_length=300)
    # Empty for openings.
    price_class = peewee.CharField(
        max_length=10, constraints=[Check(f"price_class IN {('', *PRICE_CLASSES)}")]
    )
    bets = peewee.BigIntegerField(constraints=[Check("bets > 0")])
    # 0 for the free case.
    wagered_cents = peewee.BigIntegerField(constraints=[Check("wagered_cents >= 0")])
    paid_cents = peewee.BigIntegerField(constraints=[Check("paid_cents >= 0")])
    # By the chances of the bets: the mean of what they pay, and its variance.
    expected_cents = peewee.DoubleField()
    variance_square_cents = peewee.DoubleField()
    # The most that one of the bets could pay.
    largest_cents = peewee.BigIntegerField(constraints=[Check("largest_cents >= 0")])

    class Meta:
        table_name = "daily_figures"
        # By day first, for the reports of a period.
        primary_key = peewee.CompositeKey("day_starts_at_ms", "game", "case_id", "price_class")


ADD = """
INSERT INTO daily_figures (
    day_starts_at_ms, game, case_id, price_class, bets, wagered_cents, paid_cents, expected_cents,
    variance_square_cents, largest_cents
) VALUES (:day, :game, :case_id, :price_class, :bets, :wagered, :paid, :expected, :variance, :largest)
ON CONFLICT (day_starts_at_ms, game, case_id, price_class) DO UPDATE SET
    bets = daily_figures.bets + EXCLUDED.bets,
    wagered_cents = daily_figures.wagered_cents + EXCLUDED.wagered_cents,
    paid_cents = daily_figures.paid_cents + EXCLUDED.paid_cents,
    expected_cents = daily_figures.expected_cents + EXCLUDED.expected_cents,
    variance_square_cents = daily_figures.variance_square_cents + EXCLUDED.variance_square_cents,
    largest_cents = CASE WHEN daily_figures.largest_cents > EXCLUDED.largest_cents
        THEN daily_figures.largest_cents ELSE EXCLUDED.largest_cents END
"""

_CLASSES = " ".join(
    f"WHEN price_cents < {limit} THEN '{name}'" for name, limit in PRICE_CLASSES.items() if limit
)
PRICE_CLASS = f"CASE WHEN price_cents IS NULL THEN '' {_CLASSES} ELSE 'from-1000' END"


class DailyLiabilities(Table):
    """What the house owed at the end of a day, in cents."""

    day_starts_at_ms = peewee.BigIntegerField(primary_key=True)
    balances_cents = peewee.BigIntegerField()
    vaults_cents = peewee.BigIntegerField()
    sweepstake_cents = peewee.BigIntegerField()
    # Of withdrawals that are neither completed nor refused.
    held_cents = peewee.BigIntegerField()
    # The value of prizes that are kept or to be shipped.
    prizes_cents = peewee.BigIntegerField()
    taken_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "daily_liabilities"
