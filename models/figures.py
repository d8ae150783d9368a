"""Sums and counts of bets, so that lists and reports cost the same however long the history is.

The transaction that writes a bet updates the counts of live bets, the one that appends it to the public log
the figures of its day (services/figures/daily_figures.py). The transaction that ends a battle updates both.
``flask ledger audit`` compares all of them, and the statistics in ``users``, with the bets. Days are in UTC.
"""

import peewee
from peewee import Check

from models.db.connection import Table, database
from models.limits import PAUSE_MS, PERIODS

LIVE_BET_SHARDS = 64
"""The counts of the platform are spread over this many rows, because bets that update one row wait for each
other."""


class LiveBetCount(Table):
    """How many bets, and high rolls among them, the players of one shard have made.

    Without those of suspended players, which the live bets do not show.
    """

    shard = peewee.IntegerField(primary_key=True, constraints=[Check("shard BETWEEN 0 AND 63")])
    bets = peewee.BigIntegerField(constraints=[Check("bets >= 0")])
    high_rolls = peewee.BigIntegerField(constraints=[Check("high_rolls BETWEEN 0 AND bets")])

    class Meta:
        table_name = "live_bet_counts"


PRICE_CLASSES = {"under-10": 10_00, "under-100": 100_00, "under-1000": 1_000_00, "from-1000": None}
"""The classes of spins by the price of the item, with the price in cents that is too much for each."""
FREE = "free"
"""The class of free openings, so that their cases have others for those that are paid for."""


class DailyFigures(Table):
    """The bets of a day in one game: spins by the price of the item, openings by case, and battles.

    The bets of a row all have a wager, or none of them.
    """

    day_starts_at_ms = peewee.BigIntegerField()
    game = peewee.CharField(max_length=16)
    # The id of a case in its snapshot. Empty for spins and battles, and for openings whose snapshot is
    # not intact.
    case_id = peewee.CharField(max_length=300)
    # Empty for battles, and for openings that are not free.
    price_class = peewee.CharField(
        max_length=10, constraints=[Check(f"price_class IN {('', *PRICE_CLASSES, FREE)}")]
    )
    bets = peewee.BigIntegerField(constraints=[Check("bets > 0")])
    # 0 for free openings.
    wagered_cents = peewee.BigIntegerField(constraints=[Check("wagered_cents >= 0")])
    paid_cents = peewee.BigIntegerField(constraints=[Check("paid_cents >= 0")])
    # By the chances of the bets: the mean of what they pay, and its variance (of battles: battle_figures.py).
    expected_cents = peewee.DoubleField()
    variance_square_cents = peewee.DoubleField()
    # The most that one of the bets could pay.
    largest_cents = peewee.BigIntegerField(constraints=[Check("largest_cents >= 0")])

    class Meta:
        table_name = "daily_figures"
        # By day first, for the reports of a period.
        primary_key = peewee.CompositeKey("day_starts_at_ms", "game", "case_id", "price_class")


ADD_TO_DAILY_FIGURES = """
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
PRICE_CLASS = (
    f"CASE WHEN wager_cents = 0 THEN '{FREE}' WHEN price_cents IS NULL THEN '' {_CLASSES}"
    " ELSE 'from-1000' END"
)


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
    # What players have paid for seats of open and locked battles.
    battles_cents = peewee.BigIntegerField()
    taken_at_ms = peewee.BigIntegerField()

    class Meta:
        table_name = "daily_liabilities"


THEORETICAL_LOSS_UCENTS = "wager_cents * COALESCE(house_edge_ppm, counted_edge_ppm, 0)"
"""Of one bet."""

SPANS = ("play", *PERIODS)
LIFETIME = ("wagered_cents", "earned_cents", "theoretical_loss_ucents")
CURRENT = tuple(f"{span}_{total}_cents" for span in SPANS for total in ("wagered", "paid"))

# A player's bets were counted in the order of their ids. Those of a period are all from its first one on:
# when the clock was set back, their times are earlier.
_FIRST_OF_PERIODS = ", ".join(
    f"MIN(CASE WHEN {period}_starts_at_ms > 0 AND created_at_ms >= {period}_starts_at_ms THEN bets.id END)"
    f" AS {period}_first"
    for period in PERIODS
)
_SUMS = ", ".join(
    f"SUM(CASE WHEN id >= {span}_first THEN {amount}_cents ELSE 0 END) AS {span}_{total}_cents"
    for span in SPANS
    for total, amount in (("wagered", "wager"), ("paid", "payout"))
)
_EXPECTED = ", ".join(f"users.{column}, COALESCE(sums.{column}, 0)" for column in (*LIFETIME, *CURRENT))
_DIFFERS = " OR ".join(f"users.{column} <> COALESCE(sums.{column}, 0)" for column in (*LIFETIME, *CURRENT))

# PostgreSQL computes each part once. Otherwise it may plan nested loops by the statistics of a table that was
# empty, which took more than ten minutes for 226 bets.
#
# The first bet of a play session is the last one of its time with a pause before it. A session that began
# when a seat in a battle was taken has no bet of its time: its first one is the next after the pause.
WRONG_STATISTICS = f"""
WITH at_start AS MATERIALIZED (
    SELECT bets.user_id, bets.id, bets.created_at_ms,
        COALESCE(seats.after_nonce, bets.nonce - 1) AS after_nonce
    FROM users
        JOIN bets ON bets.user_id = users.id AND bets.created_at_ms = users.play_began_at_ms
        LEFT JOIN battle_seats AS seats ON seats.id = -bets.nonce
), previous AS MATERIALIZED (
    SELECT at_start.user_id, at_start.id, COALESCE(
        (
            SELECT MAX(bet_id) FROM battle_seats AS seats
            WHERE seats.user_id = at_start.user_id AND seats.after_nonce = at_start.after_nonce
                AND seats.bet_id < at_start.id
        ),
        (SELECT id FROM bets WHERE bets.user_id = at_start.user_id AND bets.nonce = at_start.after_nonce)
    ) AS previous_id
    FROM at_start
), starts AS MATERIALIZED (
    SELECT at_start.user_id, COALESCE(
        MAX(CASE WHEN bets.created_at_ms > at_start.created_at_ms - {PAUSE_MS}
            THEN NULL ELSE at_start.id END),
        MIN(at_start.id)
    ) AS play_first
    FROM at_start
        JOIN previous ON previous.id = at_start.id
        LEFT JOIN bets ON bets.id = previous.previous_id
    GROUP BY at_start.user_id
), since_a_seat AS MATERIALIZED (
    SELECT user_id, MAX(
        CASE WHEN created_at_ms > pause_ms AND COALESCE(previous_at_ms, pause_ms) <= pause_ms THEN id END
    ) AS play_first
    FROM (
        SELECT bets.user_id, bets.id, bets.created_at_ms, users.play_began_at_ms - {PAUSE_MS} AS pause_ms,
            LAG(bets.created_at_ms) OVER (PARTITION BY bets.user_id ORDER BY bets.id) AS previous_at_ms
        FROM bets JOIN users ON users.id = bets.user_id
        WHERE bets.user_id NOT IN (SELECT user_id FROM at_start)
    ) AS in_order
    GROUP BY user_id
), firsts AS MATERIALIZED (
    SELECT bets.user_id, COALESCE(MIN(starts.play_first), MIN(since_a_seat.play_first)) AS play_first,
        {_FIRST_OF_PERIODS}
    FROM bets
        JOIN users ON users.id = bets.user_id
        LEFT JOIN starts ON starts.user_id = bets.user_id
        LEFT JOIN since_a_seat ON since_a_seat.user_id = bets.user_id
    GROUP BY bets.user_id
), sums AS MATERIALIZED (
    SELECT bets.user_id, SUM(wager_cents) AS wagered_cents, SUM(payout_cents) AS earned_cents,
        SUM({THEORETICAL_LOSS_UCENTS}) AS theoretical_loss_ucents, {_SUMS}
    FROM bets JOIN firsts ON firsts.user_id = bets.user_id
    GROUP BY bets.user_id
)
SELECT users.platform_id, {_EXPECTED}
FROM users LEFT JOIN sums ON sums.user_id = users.id
WHERE {_DIFFERS}
"""  # noqa: S608  # constants


def wrong_statistics() -> dict[str, dict[str, int]]:
    """The players with a wrong sum by platform id, each with the correct numbers by the wrong columns."""
    wrong = {}
    for player_id, *pairs in database.execute_sql(WRONG_STATISTICS).fetchall():
        columns = zip((*LIFETIME, *CURRENT), pairs[::2], pairs[1::2], strict=True)
        wrong[player_id] = {column: int(correct) for column, stored, correct in columns if stored != correct}
    return wrong
